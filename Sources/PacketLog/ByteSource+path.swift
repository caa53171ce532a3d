internal import Glibc

extension ByteSource {
  /// - Parameter path: `-` is standard input.
  convenience init(path: String) throws(PacketLogError) {
    let descriptor = path == "-" ? STDIN_FILENO : Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw PacketLogError(.io(errno), offset: 0) }
    self.init(descriptor: descriptor, totalBytes: Self.regularFileSize(descriptor))
  }

  private static func regularFileSize(_ descriptor: Int32) -> Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }
}
