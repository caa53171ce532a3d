import Bluetooth
import Glibc
import PacketLog

/// The files of a recording: one file, or several with rotation.
///
/// A file gets its name only once its header, the controllers and the connections are written, so that every
/// file with such a name is readable. No file is overwritten. After a crash of the program, all flushed
/// records are readable.
///
/// @unchecked: It is created on one thread and then used only by the recording thread.
final class LogSeries: @unchecked Sendable {
  /// Number of digits in the file numbers. With one file per minute, the names sort correctly for two years.
  static let digits = 6

  private let path: String
  private let rotation: LogRotation?
  private let owner: FileOwner?
  /// The error of setting the owner of the latest file; `nil` if there was none.
  private(set) var ownerRefusal: PacketLogError?
  private var writer: BTSnoopWriter
  private var number: Int
  private var opened: ContinuousClock.Instant
  private var controllers = ControllerNotes()
  private var links = LinkNotes()
  /// The kernel's count of dropped packets at the start of this file.
  private var dropsBefore: UInt32 = 0

  private(set) var files = 1
  private(set) var records = 0

  /// Creates the first file. Only its owner can access it (mode 0600).
  /// - Parameters:
  ///   - path: The path of the log, or `-` for standard output. With rotation, a number is added to the file
  ///     name (``NumberedLog``), starting after the highest existing one.
  ///   - owner: The owner of the files; `nil` for the user who runs the recording.
  /// - Throws: `.io`; `EEXIST` if the file exists.
  init(path: String, rotation: LogRotation?, owner: FileOwner? = nil) throws(PacketLogError) {
    self.path = path
    self.owner = owner
    self.rotation = path == "-" ? nil : rotation
    number = self.rotation == nil ? 0 : Self.lastNumber(of: path) + 1
    opened = .now
    writer = try Self.makeFile(at: Self.name(number, of: path)) { _ throws(PacketLogError) in }
    giveAway()
  }

  /// Sets the owner of the file. The owner of standard output is not changed.
  private func giveAway() {
    guard let owner, path != "-" else { return }
    do {
      try writer.give(to: owner)
    } catch {
      ownerRefusal = error
    }
  }

  /// Appends a message, and starts a new file if one is due.
  /// - Parameter drops: The number of packets that the kernel has dropped since the start of the recording.
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

  /// Writes all appended records.
  /// - Throws: `.io`. Incomplete records are then removed, so that the log ends with a complete one.
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

  /// Creates a file under a temporary name, writes its first records, and gives it its final name.
  private static func makeFile(
    at path: String, _ begin: (BTSnoopWriter) throws(PacketLogError) -> Void
  ) throws(PacketLogError) -> BTSnoopWriter {
    if path == "-" { return try BTSnoopWriter(path: path) }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let unfinished = "\(folder).\(path.dropFirst(folder.count)).\(getpid())"
    // A killed process with the same ID may have left this file behind.
    unlink(unfinished)
    let writer = try BTSnoopWriter(path: unfinished, isNew: true)
    defer { unlink(unfinished) }
    try begin(writer)
    try writer.flush()
    // Unlike rename, link never replaces an existing file.
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

  /// Renames the file on file systems without hard links.
  private static func rename(_ unfinished: String, _ path: String) throws(PacketLogError) {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw PacketLogError(.io(EEXIST), offset: 0) }
    guard Glibc.rename(unfinished, path) == 0 else { throw PacketLogError(.io(errno), offset: 0) }
  }

  /// Returns the highest number of an existing file of the recording; 0 if no file exists.
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
