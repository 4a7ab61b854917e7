/** What is used of WebAssembly, which the types of Node leave to those of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
}
