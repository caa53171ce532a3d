import Glibc
import Unpacking

/// The bytes of an export's XML, streamed from a file, from standard input, or from an archive.
final class ExportFile {
  /// Size of the XML in bytes; `nil` if it is not known before the end.
  let totalBytes: Int64?
  private(set) var bytesRead: Int64 = 0
  private let input: Input
  private let isCancelled: @Sendable () -> Bool

  private enum Input {
    case plain(PolledInput)
    case packed(ExportArchive)
  }

  /// Opens an export.
  /// - Parameters:
  ///   - path: A file, the directory that the archive unpacks to, or `-` for standard input.
  ///   - isCancelled: Called several times a second while no data is available, and for each block that
  ///     ``finish()`` reads. If it returns true, reading ends with an error.
  init(
    path: String, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ImportError) {
    self.isCancelled = isCancelled
    let path = try ExportFolder.isFolder(path) ? ExportFolder.export(in: path) : path
    let plain = try ImportError.translating { () throws(ArchiveError) in
      try PolledInput(path: path, isCancelled: isCancelled)
    }
    let head = try ImportError.translating { () throws(ArchiveError) in
      try plain.peek(DocumentKind.lookAhead)
    }
    if let packing = Packing(head) {
      let archive = try ExportArchive(plain, packing)
      guard try archive.goToExport() else { throw archive.isEncrypted ? .encrypted : .noExportInside }
      input = .packed(archive)
      totalBytes = archive.exportSize
    } else {
      switch DocumentKind(head) {
      case .clinicalDocument: throw .clinicalDocument
      case .utf16: throw .utf16
      case .export, .other: break
      }
      input = .plain(plain)
      totalBytes = plain.size
    }
  }

  /// Reads the next bytes of the XML.
  /// - Returns: The number of bytes read; 0 at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count =
      switch input {
      case .plain(let file):
        try ImportError.translating { () throws(ArchiveError) in try file.read(into: room) }
      case .packed(let archive): try archive.read(into: room)
      }
    bytesRead += Int64(count)
    return count
  }

  /// Reads the rest of the archive after the end of the export. This verifies the checksum and detects a
  /// second export, which is an error.
  func finish() throws(ImportError) {
    guard case .packed(let archive) = input else { return }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { room.deallocate() }
    while try read(into: room) > 0 {
      if isCancelled() { throw .cancelled }
    }
    if try archive.goToExport() { throw .severalInside }
  }
}
