import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useDropzone } from 'react-dropzone'
import { toast } from 'sonner'
import { useImport } from './use-import.ts'

/** The page takes agent files that are dropped on it, and imports them. */
export function ImportDrop({ children }: { children: ReactNode }) {
  const navigate = useNavigate()
  const { run } = useImport(([first]) => first && void navigate({ to: '/agents/$agentId', params: { agentId: first } }))
  const { getRootProps, isDragActive } = useDropzone({
    noClick: true,
    noKeyboard: true,
    multiple: false,
    onDrop: ([file]) => (file ? run(file) : toast.error('Drop one agent file (.af) at a time.')),
  })
  return (
    <div
      {...getRootProps({ role: 'presentation', tabIndex: -1 })}
      className="relative flex min-h-0 flex-1 flex-col outline-none"
    >
      {children}
      {isDragActive && (
        <div className="absolute inset-3 z-20 flex items-center justify-center rounded-lg border-2 border-primary border-dashed bg-background/90 font-medium">
          Drop the agent file to import it
        </div>
      )}
    </div>
  )
}
