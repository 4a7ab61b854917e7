/** The path of the console, such as `/console/`: that of `<base>` in the page, which the server may change. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname

/** The path below which the API lies, without a slash at its end: empty, or the base path of the server. */
export const SERVER_PATH = CONSOLE_PATH.replace(/\/console\/$/, '')
