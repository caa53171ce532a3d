import Glibc
import Unpacking

/// The octets of an export's XML in order: of the file itself, or unpacked on the way from the zip that the
/// Health app makes. Holds none of them.
final class ExportFile {
  /// Of the XML.
  let totalBytes: Int64?
  private(set) var bytesRead: Int64 = 0
  private let descriptor: Int32
  private let unzip: ChildProcess?

  init(path: String) throws(ImportObstacle) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { throw .file(errno: errno) }
    guard Self.isZip(file) else {
      descriptor = file
      self.unzip = nil
      var status = stat()
      totalBytes =
        fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
      return
    }
    defer { close(file) }
    totalBytes = try ExportArchive.size(of: file)
    let unzip = try ExportArchive.unpacking(file)
    descriptor = unzip.output
    self.unzip = unzip
  }

  deinit { close(descriptor) }

  /// - Returns: how many octets came; 0 at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(ImportObstacle) -> Int {
    while true {
      let count = Glibc.read(descriptor, room.baseAddress, room.count)
      if count > 0 {
        bytesRead += Int64(count)
        return count
      }
      if count == 0 {
        if let unzip, !unzip.hasSucceeded() { throw .damagedArchive }
        return 0
      }
      guard errno == EINTR else { throw .file(errno: errno) }
    }
  }

  /// A pipe cannot be looked into and read again: what comes through one is taken for the XML.
  private static func isZip(_ file: Int32) -> Bool {
    let magic: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    var start = [UInt8](repeating: 0, count: magic.count)
    return pread(file, &start, start.count, 0) == start.count && start == magic
  }
}

/// The sentence of the system for an error.
func systemText(of number: Int32) -> String { String(cString: strerror(number)) }
