import { enableCompileCache } from 'node:module'

// Loaded before anything else (`node --import`): a warm start then neither strips types nor compiles anything again.
enableCompileCache()
