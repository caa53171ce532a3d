internal import Glibc
internal import Unpacking

/// A packed log as the octets that it holds.
enum PackedLog {
  /// - Parameters:
  ///   - path: of a file that begins as this compression does.
  ///   - member: Of an archive, the file to unpack; otherwise the only one that is a log.
  /// - Throws: `.compressed` where it cannot be unpacked, `.io`.
  static func source(
    _ compression: Compression, at path: String, member: String? = nil,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(PacketLogError) -> ByteSource {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { throw PacketLogError(.io(errno), offset: 0) }
    defer { close(file) }
    if compression == .zip { return try archive(file, member, isCancelled) }
    return try source(compression, compression.command, input: file, isCancelled)
  }

  /// The names of the logs in an archive.
  ///
  /// - Throws: As `source` does.
  static func members(ofArchiveAt path: String) throws(PacketLogError) -> [String] {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { throw PacketLogError(.io(errno), offset: 0) }
    defer { close(file) }
    return ArchiveMember.logs(in: try names(file) { false })
  }

  private static func names(
    _ file: Int32, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(PacketLogError) -> [String] {
    let list = try source(.zip, ["unzip", "-Z1", ChildProcess.inputName], input: file, isCancelled)
    _ = try list.gather(1)
    // As many names as fit the buffer; that is thousands.
    while try list.gatherMore() {}
    return String(decoding: list.window, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func archive(
    _ file: Int32, _ member: String?, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(PacketLogError) -> ByteSource {
    let name: String
    if let member {
      name = member
    } else {
      switch ArchiveMember.choose(from: try names(file, isCancelled)) {
      case .none: throw PacketLogError(.compressed(.zip, .noLogInside), offset: 0)
      case .several(let logs): throw PacketLogError(.compressed(.zip, .severalInside(logs)), offset: 0)
      case .one(let one): name = one
      }
    }
    let command = Compression.zip.command + [ChildProcess.inputName, ArchiveMember.pattern(name)]
    return try source(.zip, command, input: file, isCancelled)
  }

  private static func source(
    _ compression: Compression, _ command: [String], input: Int32?,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(PacketLogError) -> ByteSource {
    let child: ChildProcess?
    do {
      child = try ChildProcess(command, input: input)
    } catch {
      throw PacketLogError(.io(error.errno), offset: 0)
    }
    guard let child else { throw PacketLogError(.compressed(compression, .noProgram), offset: 0) }
    return ByteSource(unpackedBy: child, from: compression, isCancelled: isCancelled)
  }
}
