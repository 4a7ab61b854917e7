/** What is used of WebAssembly, which the types of Node leave to those of browsers. */
declare namespace WebAssembly {
  type Module = object
  function compile(bytes: Uint8Array): Promise<Module>
}
