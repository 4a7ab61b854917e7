import { deletePassage } from '../../api/generated.ts'
import { DeleteButton } from '../../components/delete-button.tsx'

/** Deletes a passage of an archive, after a question. */
export const DeletePassage = ({ archiveId, passageId }: { archiveId: string; passageId: string }) => (
  <DeleteButton
    what="this passage"
    remove={() => deletePassage(archiveId, passageId)}
    changes={[['archives', archiveId]]}
  />
)
