import { UploadIcon } from 'lucide-react'
import { useDropzone } from 'react-dropzone'
import { useImport } from './use-import.ts'

/** Imports the agents of a file. */
export function FromFile({ onCreated }: { onCreated: (agentId: string) => void }) {
  const { run, pending } = useImport(([first]) => first && onCreated(first))
  const { getRootProps, getInputProps } = useDropzone({ multiple: false, onDrop: ([file]) => file && run(file) })
  return (
    <div
      {...getRootProps({ role: 'button', 'aria-label': 'Choose an agent file' })}
      className="flex cursor-pointer flex-col items-center gap-2 rounded-lg border border-dashed p-10 text-center hover:bg-muted focus-visible:outline-2"
    >
      <input {...getInputProps()} />
      <UploadIcon className="size-6 text-muted-foreground" />
      {pending ? 'Importing…' : 'Drop an agent file (.af) here, or choose one.'}
      <p className="text-muted-foreground text-xs">
        Its tools are code: review a file from a stranger before you import it.
      </p>
    </div>
  )
}
