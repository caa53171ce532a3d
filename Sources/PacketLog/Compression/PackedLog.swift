internal import Glibc
internal import Unpacking

/// Opens compressed logs.
enum PackedLog {
  /// Opens a compressed log.
  ///
  /// - Parameters:
  ///   - path: The path of a file with this compression.
  ///   - member: The name of the file in the archive; by default the only log in it.
  /// - Throws: `.compressed` if the log cannot be decompressed; `.io`.
  static func source(
    _ compression: Compression, at path: String, member name: String? = nil
  ) throws(PacketLogError) -> ByteSource {
    guard compression == .zip else {
      let reader = try reader(compression, at: path)
      _ = try nextEntry(of: reader, compression)
      return ByteSource(unpackedBy: reader, from: compression)
    }
    if let name { return try member(name, at: path) }
    switch ArchiveMember.choose(from: try names(at: path)) {
    case .none: throw PacketLogError(.compressed(.zip, .noLogInside), offset: 0)
    case .several(let logs): throw PacketLogError(.compressed(.zip, .severalInside(logs)), offset: 0)
    case .one(let name): return try member(name, at: path)
    }
  }

  /// Returns the names of the logs in an archive.
  ///
  /// - Throws: The errors of `source`.
  static func members(ofArchiveAt path: String) throws(PacketLogError) -> [String] {
    ArchiveMember.logs(in: try names(at: path))
  }

  /// Returns the names of the files in a zip archive.
  private static func names(at path: String) throws(PacketLogError) -> [String] {
    let reader = try reader(.zip, at: path)
    var names: [String] = []
    while let entry = try nextEntry(of: reader, .zip) { names.append(entry.name) }
    return names
  }

  private static func member(_ name: String, at path: String) throws(PacketLogError) -> ByteSource {
    let reader = try reader(.zip, at: path)
    while let entry = try nextEntry(of: reader, .zip) {
      guard entry.name == name else { continue }
      guard !entry.isEncrypted else { throw PacketLogError(.compressed(.zip, .encrypted), offset: 0) }
      return ByteSource(unpackedBy: reader, from: .zip)
    }
    throw PacketLogError(.compressed(.zip, .damaged), offset: 0)
  }

  private static func reader(
    _ compression: Compression, at path: String
  ) throws(PacketLogError) -> ArchiveReader {
    do {
      return try ArchiveReader(PolledInput(path: path))
    } catch {
      throw PacketLogError(error, of: compression, offset: 0)
    }
  }

  private static func nextEntry(
    of reader: ArchiveReader, _ compression: Compression
  ) throws(PacketLogError) -> ArchiveReader.Entry? {
    do {
      return try reader.nextEntry()
    } catch {
      throw PacketLogError(error, of: compression, offset: 0)
    }
  }
}

extension PacketLogError {
  init(_ error: ArchiveError, of compression: Compression, offset: Int64) {
    switch error {
    case .unreadable: self.init(.compressed(compression, .damaged), offset: offset)
    case .file(let errno): self.init(.io(errno), offset: offset)
    case .cancelled: self.init(.io(ECANCELED), offset: offset)
    }
  }
}
