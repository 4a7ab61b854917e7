import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { deleteFileOfFolder, type File as FolderFile, listFilesOfFolder, retrieveFolder } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { formatBytes } from '../../components/quantities.ts'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Popover } from '../../components/ui/popover.tsx'
import { Page } from '../../layout/page.tsx'
import { UploadArea } from './upload-area.tsx'

const REFRESH_MS = 1_000

const isDone = ({ processing_status: status }: FolderFile) => status === 'completed' || status === 'error'

/** Why a file failed: as much as fits, and all of it when it is pressed. */
const Reason = ({ text }: { text: string }) => (
  <Popover
    className="wrap-anywhere p-3"
    trigger={
      <Button variant="link" size="small" className="min-w-0 px-0">
        <span className="truncate">{text}</span>
      </Button>
    }
  >
    {text}
  </Popover>
)

/** How far the server has come with a file, and why it failed. */
function Stage({ file }: { file: FolderFile }) {
  const { processing_status, total_chunks, chunks_embedded, error_message } = file
  return (
    <span className="flex items-center gap-2">
      <StatusBadge status={processing_status} />
      {processing_status === 'embedding' && (
        <progress aria-label="Embedded pieces" className="w-24" max={total_chunks ?? 1} value={chunks_embedded ?? 0} />
      )}
      {error_message ? (
        <Reason text={error_message} />
      ) : (
        <span className="truncate text-muted-foreground text-xs">
          {total_chunks !== undefined && `${total_chunks} pieces`}
        </span>
      )}
    </span>
  )
}

const columnsOf = (folderId: string): Column<FolderFile>[] => [
  { header: 'File', cell: ({ file_name }) => file_name },
  { header: 'Size', cell: ({ file_size }) => formatBytes(file_size), className: 'hidden sm:table-cell w-24' },
  { header: 'Status', cell: (file) => <Stage file={file} />, className: 'w-40 md:w-96' },
  {
    header: '',
    cell: ({ id, file_name }) => (
      <DeleteButton
        what={`the file ${file_name}`}
        remove={() => deleteFileOfFolder(folderId, id)}
        changes={[['folders', folderId]]}
      />
    ),
    className: 'w-12',
  },
]

/** One folder: its files, and the progress of each until agents can search it. */
export function FolderPage() {
  const { folderId } = useParams({ from: '/folders/$folderId' })
  const folder = useQuery({ queryKey: ['folders', folderId, 'one'], queryFn: () => retrieveFolder(folderId) })
  const list = useList<FolderFile>(
    ['folders', folderId, 'files'],
    (page, options) => listFilesOfFolder(folderId, page, options),
    { refetchInterval: (files) => (files.every(isDone) ? false : REFRESH_MS) },
  )
  return (
    <Loaded query={folder}>
      {({ name, description }) => (
        <Page title={name} detail={<span className="truncate text-muted-foreground">{description}</span>}>
          <UploadArea folderId={folderId} />
          <DataTable
            label="Files"
            columns={columnsOf(folderId)}
            list={list}
            rowKey={({ id }) => id}
            empty={<EmptyState title="No files yet" />}
          />
        </Page>
      )}
    </Loaded>
  )
}
