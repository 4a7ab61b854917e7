import { Socket } from 'node:net'

/**
 * A socket that sends the corked writes of one turn of the event loop at the end of that turn. The driver corks its socket
 * for each statement: the statements of several requests then take one system call, and wake the database's process once.
 */
export function createGatheringSocket(): Socket {
  const socket = new Socket()
  const cork = socket.cork.bind(socket)
  let gathering = false
  socket.cork = () => {
    cork()
    if (gathering) return
    gathering = true
    cork()
    setImmediate(() => {
      gathering = false
      socket.uncork()
    })
  }
  return socket
}
