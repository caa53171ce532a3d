import Unpacking

/// The zip archive that the Health app creates, or a compressed XML file.
///
/// The export is recognized by its content, because its name depends on the phone's language, and the archive
/// contains other XML files, such as the clinical document and the `._…` files that macOS adds.
final class ExportArchive {
  /// Size of the export's XML in bytes; `nil` if the archive does not state it.
  private(set) var exportSize: Int64?
  /// Whether an XML file was skipped because it is encrypted.
  private(set) var isEncrypted = false
  private let reader: ArchiveReader
  private let isZip: Bool
  /// The bytes that were read from the start of the export to recognize it, and have not been returned yet.
  private var head: ArraySlice<UInt8> = []

  init(_ input: PolledInput, _ packing: Packing) throws(ImportError) {
    isZip = packing == .zip
    reader = try ImportError.translating { () throws(ArchiveError) in try ArchiveReader(input) }
  }

  /// Advances to the next file that is an export.
  ///
  /// - Returns: Whether there is one.
  func goToExport() throws(ImportError) -> Bool {
    try ImportError.translating { () throws(ArchiveError) in
      while let entry = try reader.nextEntry() {
        guard !isZip || entry.name.isEmpty || entry.name.lowercased().hasSuffix(".xml") else { continue }
        guard !entry.isEncrypted else {
          isEncrypted = true
          continue
        }
        try readHead()
        guard !isZip || DocumentKind(head) == .export else { continue }
        exportSize = entry.size
        return true
      }
      return false
    }
  }

  private func readHead() throws(ArchiveError) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: DocumentKind.lookAhead, alignment: 16)
    defer { room.deallocate() }
    var length = 0
    while length < room.count {
      let count = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: room[length...]))
      guard count > 0 else { break }
      length += count
    }
    head = Array(room[..<length])[...]
  }

  /// Reads the next bytes of the export.
  /// - Returns: The number of bytes read; 0 at the end of the export.
  func read(into room: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    guard head.isEmpty else {
      let count = min(head.count, room.count)
      room.copyBytes(from: head.prefix(count))
      head.removeFirst(count)
      return count
    }
    return try ImportError.translating { () throws(ArchiveError) in try reader.read(into: room) }
  }
}
