import { useQueryClient } from '@tanstack/react-query'
import { UploadIcon } from 'lucide-react'
import { useState } from 'react'
import { useDropzone } from 'react-dropzone'
import { uploadFileToFolder } from '../../api/generated.ts'
import { problemOf } from '../../api/problem.ts'

/** Uploads that run at once. */
const AT_ONCE = 3

/** Takes dropped or chosen files, uploads a few at once, and shows which, and those that the server refused with the reason. */
export function UploadArea({ folderId }: { folderId: string }) {
  const client = useQueryClient()
  const [left, setLeft] = useState(0)
  const [uploading, setUploading] = useState<File[]>([])
  const [refused, setRefused] = useState<{ name: string; reason: string }[]>([])
  const onDrop = async (files: File[]) => {
    setRefused([])
    setLeft((count) => count + files.length)
    const waiting = files.values()
    const upload = async () => {
      for (const file of waiting) {
        setUploading((others) => [...others, file])
        await uploadFileToFolder(folderId, { file }, { duplicateHandling: 'suffix' }).catch((error) =>
          setRefused((others) => [...others, { name: file.name, reason: problemOf(error).message }]),
        )
        setUploading((others) => others.filter((other) => other !== file))
        setLeft((count) => count - 1)
        await client.invalidateQueries({ queryKey: ['folders', folderId] })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, upload))
  }
  const { getRootProps, getInputProps, isDragActive } = useDropzone({ onDrop: (files) => void onDrop(files) })
  return (
    <>
      <div
        {...getRootProps()}
        className={`flex cursor-pointer items-center justify-center gap-2 rounded-lg border border-dashed p-6 text-muted-foreground focus-visible:outline-2 ${isDragActive ? 'bg-accent' : ''}`}
      >
        <input {...getInputProps({ 'aria-label': 'Files' })} />
        <UploadIcon className="size-4" aria-hidden />
        {left > 0 ? `Uploading: ${left} to go` : 'Drop files here, or press to choose some'}
      </div>
      {uploading.map((file, index) => (
        <p key={index} className="flex items-center gap-2 text-muted-foreground">
          <progress aria-label={`Upload of ${file.name}`} className="w-24" />
          <span className="truncate">{file.name}</span>
        </p>
      ))}
      {refused.map(({ name, reason }) => (
        <p key={name} role="alert" className="text-destructive">
          {name}: {reason}
        </p>
      ))}
    </>
  )
}
