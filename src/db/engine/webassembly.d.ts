/** The parts of WebAssembly in use, which the types of Node leave to those of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
}
