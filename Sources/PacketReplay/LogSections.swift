import Bluetooth
import Glibc
import PacketLog

/// Determines which sections of the current log continue the previous section, and which capture interfaces
/// continue another one.
///
/// A section is a pcapng section or a log that was appended to the file. The rule is that of ``ReplayPlan``
/// for consecutive logs. Within a section, it is also applied to interfaces with the same name.
///
/// The rule needs the times of all sections and interfaces, so the whole log is scanned in advance once a
/// second section or interface appears. A pipe can be read only once, so there, a section continues the
/// previous one if the time between them is short enough, and no interface continues another.
final class LogSections {
  private let path: String
  private let member: String?
  private let isCancelled: () -> Bool
  private var parts: LogParts?
  private var hasScanned = false
  private var number = 0
  /// The number of sections that start before the end of the previous one.
  private(set) var outOfOrder = 0
  /// The latest time in the current section.
  private var latest: ReceiptTime?
  /// The latest time in the previous section.
  private(set) var end: ReceiptTime?

  init(path: String, member: String?, isCancelled: @escaping () -> Bool) {
    self.path = path
    self.member = member
    self.isCancelled = isCancelled
  }

  func begin() {
    number += 1
    end = latest
    latest = nil
  }

  @inline(__always)
  func read(_ record: PacketLogRecord) {
    guard record.hasWallTime else { return }
    if let latest, latest >= record.time { return }
    latest = record.time
  }

  /// Returns whether the current section continues the previous one. Call it with the section's first record.
  func goesOn(with record: PacketLogRecord) -> Bool {
    if let end, record.hasWallTime, record.time < end { outOfOrder += 1 }
    if let parts = scannedParts() { return parts.continuedSections.contains(number) }
    guard let end, record.hasWallTime else { return false }
    return ReplayPlan.silences.contains(record.time.microseconds(since: end))
  }

  /// Returns the interface of the current section that `interface` continues. The two have the same name.
  func predecessor(of interface: UInt32) -> UInt32? {
    scannedParts()?.predecessors[LogParts.Part(section: number, interface: interface)]
  }

  private func scannedParts() -> LogParts? {
    if !hasScanned {
      hasScanned = true
      parts = LogParts(path: path, member: member, isCancelled: isCancelled)
    }
    return parts
  }
}

/// The sections of a log that continue the previous section, and the interfaces that continue another one.
struct LogParts: Sendable {
  struct Part: Hashable, Sendable {
    var section: Int
    var interface: UInt32
  }

  private typealias Span = ClosedRange<ReceiptTime>

  /// Maximum number of interfaces in all sections together. In a log with more, no interface continues
  /// another.
  private static let capacity = 1024

  /// The numbers of the sections that continue the previous section.
  private(set) var continuedSections: Set<Int> = []
  /// For each interface, the interface of the same section that it continues.
  private(set) var predecessors: [Part: UInt32] = [:]

  /// Reads the log to determine the first and last time of each section and interface.
  /// - Returns: `nil` if the log can be read only once, such as a pipe.
  init?(path: String, member: String?, isCancelled: () -> Bool) {
    guard ReplayPlan.isRegularFile(path),
      var reader = try? PacketLogFile.open(path: path, member: member)
    else { return nil }
    var sections: [Span?] = [nil]
    var interfaces: [Part: (name: UInt32, span: Span)] = [:]
    var count = 0
    // A damaged log ends at the damage. The records before it are usable.
    while (try? reader.readRecord { record, _ in
      switch record.content {
      case .section: sections.append(nil)
      case .lost, .other: break
      case .hci, .linkLayer, .controllerReset:
        guard record.hasWallTime, let section = sections.indices.last else { break }
        sections[section] = ReplayPlan.extended(sections[section], record.time)
        let part = Part(section: section, interface: record.interface.number)
        interfaces[part] = (
          record.interface.name, ReplayPlan.extended(interfaces[part]?.span, record.time)
        )
      }
    }) == true {
      count &+= 1
      if count & 0xFFFF == 0, isCancelled() { return nil }
      if sections.count + interfaces.count > Self.capacity { return }
    }
    connect(sections)
    let names = Dictionary(grouping: interfaces) { Name(section: $0.key.section, name: $0.value.name) }
    for sameName in names.values where sameName.count > 1 {
      connect(sameName.map { ($0.key, $0.value.span) }.sorted { $0.1.lowerBound < $1.1.lowerBound })
    }
  }

  private struct Name: Hashable {
    var section: Int
    var name: UInt32
  }

  private mutating func connect(_ sections: [Span?]) {
    for place in sections.indices.dropLast() where ReplayPlan.isContinued(place, sections) {
      continuedSections.insert(place + 1)
    }
  }

  private mutating func connect(_ interfaces: [(part: Part, span: Span)]) {
    let spans = interfaces.map { Optional($0.span) }
    for place in spans.indices.dropLast() where ReplayPlan.isContinued(place, spans) {
      predecessors[interfaces[place + 1].part] = interfaces[place].part.interface
    }
  }
}
