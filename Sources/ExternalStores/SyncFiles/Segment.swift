import Foundation

/// How much of the current files is recorded in the index. Anything beyond that is discarded after a crash.
struct SegmentPosition: Hashable, Sendable {
  var number: UInt64 = 1
  /// The sizes of the file of samples and of the file of deletions, in bytes.
  var samples = 0
  var deletions = 0
}

/// The current file of samples and, if the format needs it, of deletions. They are in the hidden directory
/// while they are written, and are published by moving them, so readers see only complete files.
struct Segment {
  private let hidden: Folder
  private let visible: Folder
  private let format: LineFormat
  private(set) var position: SegmentPosition
  private var samples: OpenFile?
  private var deletions: OpenFile?
  private let day: String
  /// The time at which the first line was written.
  private(set) var began: ContinuousClock.Instant?

  init(_ number: UInt64, on day: String, in hidden: Folder, for visible: Folder, _ format: LineFormat) {
    self.hidden = hidden
    self.visible = visible
    self.format = format
    self.day = day
    position = SegmentPosition(number: number)
  }

  var isEmpty: Bool { samples == nil && deletions == nil }
  var bytes: Int { position.samples + position.deletions }
  func isOf(day: String) -> Bool { self.day == day }

  /// Appends lines durably. After a crash, they are discarded unless the caller has recorded the new position
  /// (`position`) in the index.
  mutating func append(samples text: String, deletions deleted: String) throws {
    began = began ?? .now
    if !text.isEmpty {
      position.samples += try Self.append(
        text, heading: format.samplesHeading, to: &samples, name(format.samplesName), at: position.samples,
        hidden)
    }
    if !deleted.isEmpty {
      position.deletions += try Self.append(
        deleted, heading: format.deletionsHeading, to: &deletions, name("deletions"), at: position.deletions,
        hidden)
    }
  }

  private static func append(
    _ text: String, heading: String, to file: inout OpenFile?, _ name: String, at position: Int,
    _ folder: Folder
  ) throws -> Int {
    let isNew = file == nil
    let open = try file ?? folder.open(name)
    file = open
    let bytes = Data((isNew ? heading + text : text).utf8)
    try open.write(bytes, at: position)
    try open.sync()
    if isNew { try folder.sync() }
    return bytes.count
  }

  /// Publishes the files: moves them to the directory that readers see.
  func publish() throws {
    if samples != nil { try hidden.move(name(format.samplesName), to: visible) }
    if deletions != nil { try hidden.move(name("deletions"), to: visible) }
    try visible.sync()
    try hidden.sync()
  }

  private func name(_ what: String) -> String {
    let digits = String(position.number)
    let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    return "\(what)-\(day)-\(number).\(format.ending)"
  }

  // MARK: - Recovery after a crash

  /// Publishes those lines of an earlier run's files that are recorded in the index, and deletes everything
  /// else.
  ///
  /// - Returns: Whether there were such files.
  static func recover(
    _ committed: SegmentPosition, in hidden: Folder, for visible: Folder, _ format: LineFormat
  ) throws -> Bool {
    var hasAny = false
    for name in try hidden.names() {
      guard let match = name.wholeMatch(of: #/([a-z]+)-[0-9]{8}-([0-9]+)\.[a-z]+/#),
        let number = UInt64(match.2), ["deletions", format.samplesName].contains(String(match.1))
      else { continue }
      hasAny = hasAny || number == committed.number
      let size =
        number != committed.number
        ? 0 : match.1 == "deletions" ? committed.deletions : committed.samples
      guard size > 0 else {
        try hidden.remove(name)
        continue
      }
      guard let file = try hidden.openExisting(name), try file.size() >= size else {
        throw DamagedIndexError()
      }
      try file.truncate(to: size)
      try file.sync()
      try hidden.move(name, to: visible)
    }
    try visible.sync()
    try hidden.sync()
    return hasAny
  }
}
