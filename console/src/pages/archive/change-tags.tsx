import { useQueryClient } from '@tanstack/react-query'
import { modifyPassage, type Passage } from '../../api/generated.ts'
import { FormDialog } from '../../components/form-dialog.tsx'

const tagsOf = (lines = '') =>
  lines
    .split('\n')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

/** A button that opens the tags of a passage. Each is a line: a tag may contain a comma. */
export function ChangeTags({ archiveId, passage: { id, tags } }: { archiveId: string; passage: Passage }) {
  const client = useQueryClient()
  const submit = async ({ tags }: Record<string, string>) => {
    await modifyPassage(archiveId, id, { tags: tagsOf(tags) })
    await client.invalidateQueries({ queryKey: ['archives', archiveId] })
  }
  return (
    <FormDialog
      open="Change tags"
      title="Tags of this passage"
      fields={[
        {
          name: 'tags',
          label: 'Tags',
          description: 'One on each line.',
          value: tags.join('\n'),
          kind: 'long',
          optional: true,
        },
      ]}
      action="Save"
      submit={submit}
    />
  )
}
