import { CONSOLE_PATH } from '../api/place.ts'

/** The name of the server, with its icon. */
export function Brand() {
  return (
    <div className="flex items-center gap-2 font-semibold text-base">
      <img src={`${CONSOLE_PATH}icon.svg`} alt="" className="size-5" />
      Cairn
    </div>
  )
}
