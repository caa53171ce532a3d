internal import CArchive
internal import Glibc

/// The compression or archive format of a file, recognized by its first bytes.
package enum Packing: String, Sendable, CaseIterable {
  case gzip
  case bzip2
  case xz
  case zstd
  case lz4
  case zip

  /// Number of bytes at the start of a file that are needed to recognize any of the formats.
  package static let longestMagic = 6

  /// Recognizes a format.
  ///
  /// - Returns: `nil` if the format is unknown.
  package init?(_ start: some Sequence<UInt8>) {
    guard let found = Self.allCases.first(where: { start.starts(with: $0.magic) }) else { return nil }
    self = found
  }

  private var magic: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B, 0x08]
    case .bzip2: [0x42, 0x5A, 0x68]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .lz4: [0x04, 0x22, 0x4D, 0x18]
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    }
  }
}

/// The reason why an archive cannot be read.
package enum ArchiveError: Error, Hashable, Sendable {
  /// The file is truncated or damaged, or libarchive does not know its format. The text is libarchive's
  /// message.
  case unreadable(String)
  /// The system could not read the file.
  case file(errno: Int32)
  /// `isCancelled` returned true.
  case cancelled
}

/// Reads the files in a zip archive, or a single file compressed with gzip, bzip2, xz, zstd or lz4, using
/// libarchive. It unpacks only the files that are read, and does not start other programs.
///
/// For an archive in a regular file, the list of files comes from the archive's directory. From a pipe, the
/// files are read in the order in which they are stored.
package final class ArchiveReader {
  /// A file in the archive.
  package struct Entry: Sendable {
    /// The path. It is empty if the archive contains no path, as for a compressed single file.
    package let name: String
    /// Size of the unpacked file in bytes, or `nil` if the archive does not state it before the data.
    package let size: Int64?
    /// Whether reading the file requires a password.
    package let isEncrypted: Bool
  }

  private let archive: OpaquePointer
  private let input: PolledInput

  package init(_ input: PolledInput) throws(ArchiveError) {
    self.input = input
    guard let archive = archive_read_new() else { throw .file(errno: ENOMEM) }
    self.archive = archive
    // Do not enable all compression filters: libarchive runs external programs for some of them.
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_bzip2(archive)
    archive_read_support_filter_xz(archive)
    archive_read_support_filter_zstd(archive)
    archive_read_support_filter_lz4(archive)
    archive_read_support_format_zip(archive)
    archive_read_support_format_raw(archive)
    archive_read_set_read_callback(archive) { _, input, buffer in
      guard let input, let buffer else { return -1 }
      let block = Unmanaged<PolledInput>.fromOpaque(input).takeUnretainedValue().nextBlock()
      buffer.pointee = block.bytes
      return block.count
    }
    if input.size != nil {
      archive_read_set_seek_callback(archive) { _, input, offset, origin in
        guard let input else { return -1 }
        return Unmanaged<PolledInput>.fromOpaque(input).takeUnretainedValue().seek(offset, origin)
      }
    }
    archive_read_set_callback_data(archive, Unmanaged.passUnretained(input).toOpaque())
    guard archive_read_open1(archive) >= ARCHIVE_WARN else { throw error }
  }

  deinit { archive_read_free(archive) }

  /// Advances to the next file, skipping any unread data of the previous one.
  ///
  /// - Returns: `nil` at the end of the archive.
  package func nextEntry() throws(ArchiveError) -> Entry? {
    var entry: OpaquePointer?
    let status = archive_read_next_header(archive, &entry)
    if status == ARCHIVE_EOF { return nil }
    guard status >= ARCHIVE_WARN, let entry else { throw error }
    // The first call returns nil for names that are not UTF-8, and the second one returns their bytes.
    let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
    return Entry(
      name: name.map { String(cString: $0) } ?? "",
      size: archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : nil,
      isEncrypted: archive_entry_is_encrypted(entry) != 0)
  }

  /// Reads the next bytes of the current file.
  ///
  /// - Returns: The number of bytes, or 0 at the end of the file. By then, the checksum has been verified.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
    guard count >= 0 else { throw error }
    return count
  }

  private var error: ArchiveError {
    input.failure ?? .unreadable(archive_error_string(archive).map { String(cString: $0) } ?? "")
  }
}
