import { useState } from 'react'
import type { Passage } from '../../api/generated.ts'
import { cn } from '../../components/class-names.ts'
import { JsonView } from '../../components/json-view.tsx'
import { Tags } from '../../components/tags.tsx'
import { Dialog, DialogActions } from '../../components/ui/dialog.tsx'
import { ChangeTags } from './change-tags.tsx'

/** The beginning of a passage; a press shows all of its text, its tags, which can be changed there, and its metadata. */
export function PassageText({ passage, className }: { passage: Passage; className: string }) {
  const { archive_id: archiveId, text, tags, metadata } = passage
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={cn('text-left hover:underline focus-visible:outline-2', className)}
        onClick={() => setOpen(true)}
      >
        {text}
      </button>
      <Dialog open={open} onOpenChange={setOpen} title="Passage" className="w-[min(48rem,94vw)]">
        <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
        {tags.length > 0 && <Tags tags={tags} />}
        {Object.keys(metadata ?? {}).length > 0 && <JsonView label="Metadata" value={metadata} />}
        {archiveId !== undefined && (
          <DialogActions>
            <ChangeTags archiveId={archiveId} passage={passage} />
          </DialogActions>
        )}
      </Dialog>
    </>
  )
}
