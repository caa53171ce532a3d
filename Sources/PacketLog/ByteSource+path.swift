internal import Glibc

extension ByteSource {
  /// - Parameter path: The path of the log; `-` is standard input.
  convenience init(path: String, isCancelled: @escaping @Sendable () -> Bool) throws(PacketLogError) {
    // O_NONBLOCK prevents `open` from blocking on a named pipe until a writer opens it. Reads poll first.
    let descriptor =
      path == "-" ? STDIN_FILENO : Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw PacketLogError(.io(errno), offset: 0) }
    self.init(
      descriptor: descriptor, totalBytes: Self.regularFileSize(descriptor), isCancelled: isCancelled)
  }

  private static func regularFileSize(_ descriptor: Int32) -> Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }
}
