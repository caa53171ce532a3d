import Bluetooth
import Glibc
import PacketLog

/// The files that a recording is written to: one, or with a rotation one after the other.
///
/// A file takes its name when it has its header, the controllers and the links, so whoever finds one can read
/// it. None is ever written over. What was flushed stays readable whatever becomes of the program.
///
/// @unchecked: Whoever makes it hands it to the thread of the recording, which alone touches it from then on.
final class LogSeries: @unchecked Sendable {
  /// As many parts sort by their names: one a minute for two years.
  static let digits = 6

  private let path: String
  private let rotation: LogRotation?
  private let owner: FileOwner?
  /// Why the last file is not its owner's.
  private(set) var ownerRefusal: PacketLogError?
  private var writer: BTSnoopWriter
  private var number: Int
  private var opened: ContinuousClock.Instant
  private var controllers = ControllerNotes()
  private var links = LinkNotes()
  /// Of the kernel's count when this file began.
  private var dropsBefore: UInt32 = 0

  private(set) var files = 1
  private(set) var records = 0

  /// Makes the first file, for its owner alone (mode 0600).
  ///
  /// - Parameters:
  ///   - path: Of the log; with a rotation, what its parts are named after (``NumberedLog``), and they are
  ///     numbered on from those that are there. `-` is standard output.
  ///   - owner: Whose the files are to be, as far as the system allows that.
  /// - Throws: `.io`: `EEXIST` where there is such a file.
  init(path: String, rotation: LogRotation?, owner: FileOwner? = nil) throws(PacketLogError) {
    self.path = path
    self.owner = owner
    self.rotation = path == "-" ? nil : rotation
    number = self.rotation == nil ? 0 : Self.lastNumber(of: path) + 1
    opened = .now
    writer = try Self.makeFile(at: Self.name(number, of: path)) { _ throws(PacketLogError) in }
    giveAway()
  }

  /// Never standard output, which is somebody else's already.
  private func giveAway() {
    guard let owner, path != "-" else { return }
    do {
      try writer.give(to: owner)
    } catch {
      ownerRefusal = error
    }
  }

  /// - Parameter drops: How many packets were lost since the recording began.
  /// - Throws: `.io`.
  func append(_ message: MonitorMessage, drops: UInt32) throws(PacketLogError) {
    if rotation != nil {
      controllers.take(message)
      links.take(message)
    }
    writer.packetsLost = drops &- dropsBefore
    try writer.append(message)
    records += 1
    guard let rotation, rotation.isDue(size: writer.bytesWritten, age: .now - opened) else { return }
    try rotate(at: message.time, drops: drops)
  }

  /// Hands over all that was appended: whole records.
  /// - Throws: `.io`; then what the system took of them is taken back, and the log ends with a whole record.
  func flush() throws(PacketLogError) {
    do {
      try writer.flush()
    } catch {
      writer.abandon()
      throw error
    }
  }

  func close() throws(PacketLogError) {
    try flush()
    try writer.close()
  }

  private func rotate(at time: ReceiptTime, drops: UInt32) throws(PacketLogError) {
    try close()
    number += 1
    files += 1
    dropsBefore = drops
    opened = .now
    let known = controllers.messages + links.messages
    writer = try Self.makeFile(at: Self.name(number, of: path)) { writer throws(PacketLogError) in
      for var message in known {
        message.time = time
        try writer.append(message)
      }
    }
    giveAway()
  }

  private static func name(_ number: Int, of path: String) -> String {
    number == 0 ? path : NumberedLog.path(number, of: path, digits: digits)
  }

  /// - Parameter begin: Appends what the file begins with.
  private static func makeFile(
    at path: String, _ begin: (BTSnoopWriter) throws(PacketLogError) -> Void
  ) throws(PacketLogError) -> BTSnoopWriter {
    if path == "-" { return try BTSnoopWriter(path: path) }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let unfinished = "\(folder).\(path.dropFirst(folder.count)).\(getpid())"
    // Left by a process of the same number that was killed.
    unlink(unfinished)
    let writer = try BTSnoopWriter(path: unfinished, isNew: true)
    defer { unlink(unfinished) }
    try begin(writer)
    try writer.flush()
    // Unlike a renaming it never takes the place of what is there.
    guard link(unfinished, path) == 0 else {
      let reason = errno
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(reason) else {
        throw PacketLogError(.io(reason), offset: 0)
      }
      try rename(unfinished, path)
      return writer
    }
    return writer
  }

  /// Where a file system has no second names for a file.
  private static func rename(_ unfinished: String, _ path: String) throws(PacketLogError) {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw PacketLogError(.io(EEXIST), offset: 0) }
    guard Glibc.rename(unfinished, path) == 0 else { throw PacketLogError(.io(errno), offset: 0) }
  }

  /// The highest number that a part has; 0 where there is none.
  private static func lastNumber(of path: String) -> Int {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard let entries = opendir(folder) else { return 0 }
    defer { closedir(entries) }
    var last = 0
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      last = max(last, NumberedLog.number(ofFileNamed: name, of: path, digits: digits) ?? 0)
    }
    return last
  }
}

extension BTSnoopWriter {
  fileprivate func append(_ message: MonitorMessage) throws(PacketLogError) {
    try append(
      opcode: message.opcode, controller: message.controller, time: message.time, message.packet.span.bytes)
  }
}
