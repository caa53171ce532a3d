import Bluetooth
import Glibc
import PacketLog

/// The order in which several logs are replayed, and the logs that continue another one.
///
/// A recorder that rotates its files splits a recording into parts. A link that is open at the end of one
/// part is open at the start of the next, which names neither the peer nor its handles.
///
/// A log continues the previous one if it starts after the end of that log, at most ``longestSilence`` later,
/// and no third log overlaps either of them. With a third log, it would be unclear which one continues which.
/// The logs themselves record what ended in between, such as another boot or another adapter. ``LogSections``
/// applies the same rule to the parts of one log.
public struct ReplayPlan: Sendable {
  /// One log of the plan.
  public struct Log: Sendable {
    /// The path of the log or its archive, or `-` for standard input.
    public var path: String
    /// The member to read from an archive with several logs.
    public var member: String?
    /// The series of logs to which an archive member belongs.
    fileprivate var series: ArchiveSeries?
    /// Whether the next log of the plan continues this one.
    public fileprivate(set) var isContinued = false
    /// The earliest and the latest time, or `nil` if they cannot be read in advance (a pipe, a log without
    /// wall time, or a file that is not a log).
    fileprivate var span: ClosedRange<ReceiptTime>?
  }

  /// The longest supervision timeout, 32 s (Core Specification, Vol 4, Part E, §7.8.12), in microseconds.
  /// After a longer silence, the link may have been lost and established again.
  static let longestSilence: Int64 = 32_000_000
  /// The allowed durations between the end of a part and the start of the next, in microseconds.
  static let silences = 0...longestSilence

  /// The logs in the order of replay.
  public private(set) var logs: [Log]
  /// Whether the logs were given in another order than that of their times.
  public private(set) var isReordered = false

  /// Reads the times of regular files and sorts them. Logs that can be read only once keep their position.
  /// - Parameters:
  ///   - paths: The paths of the logs.
  ///   - isCancelled: Called while logs are read. If it returns true, the plan keeps the given order.
  public init(paths: [String], isCancelled: () -> Bool = { false }) {
    logs = paths.flatMap(Self.logs)
    guard logs.count > 1 else { return }
    let given = logs
    for place in logs.indices { logs[place].span = Self.span(of: logs[place], isCancelled) }
    guard !isCancelled() else {
      logs = given
      return
    }
    sort()
    connect()
  }

  /// Returns the log at a path, or the logs of an archive that contains several.
  private static func logs(at path: String) -> [Log] {
    let members = isRegularFile(path) ? PacketLogFile.members(ofArchiveAt: path) : []
    guard members.count > 1 else { return [Log(path: path)] }
    return members.map { Log(path: path, member: $0, series: ArchiveSeries(path: path, member: $0)) }
  }

  /// Sorts the logs with known times among their positions. The logs of a series stay together, at the
  /// position of the first one.
  private mutating func sort() {
    let places = logs.indices.filter { logs[$0].span != nil }
    var beginnings: [ArchiveSeries: ReceiptTime] = [:]
    for place in places {
      guard let series = logs[place].series, let begin = logs[place].span?.lowerBound else { continue }
      beginnings[series] = min(beginnings[series] ?? begin, begin)
    }
    func order(_ entry: (place: Int, log: Log)) -> (ReceiptTime, String, ReceiptTime, Int) {
      let begin = entry.log.span?.lowerBound ?? ReceiptTime(microsecondsSince1970: 0)
      let series = entry.log.series
      return (series.flatMap { beginnings[$0] } ?? begin, series?.key ?? "", begin, entry.place)
    }
    let sorted = places.map { (place: $0, log: logs[$0]) }.sorted { order($0) < order($1) }
    isReordered = zip(places, sorted).contains { logs[$0].path != $1.log.path }
    for (place, entry) in zip(places, sorted) { logs[place] = entry.log }
  }

  private mutating func connect() {
    for place in logs.indices.dropLast() {
      // Another series of the same archive contains the same traffic in another form and continues no log.
      let series = logs[place].series
      let spans: [ClosedRange<ReceiptTime>?] = logs.map { log in
        if let series, let other = log.series, other.path == series.path, other != series { return nil }
        return log.span
      }
      logs[place].isContinued = Self.isContinued(place, spans)
    }
  }

  /// Returns whether a part and the next one belong to one recording.
  /// - Parameters:
  ///   - place: The index of the part.
  ///   - spans: The earliest and the latest time of each part, or `nil` if unknown.
  static func isContinued(_ place: Int, _ spans: [ClosedRange<ReceiptTime>?]) -> Bool {
    guard let part = spans[place], let next = spans[place + 1] else { return false }
    let silence = next.lowerBound.microseconds(since: part.upperBound)
    guard silences.contains(silence), !isBeside(part, next) else { return false }
    return !spans.indices.contains { other in
      guard other != place, other != place + 1, let third = spans[other] else { return false }
      return isBeside(third, part) || isBeside(third, next)
    }
  }

  /// Returns whether two spans overlap. Spans that only share an end do not.
  private static func isBeside(_ one: ClosedRange<ReceiptTime>, _ other: ClosedRange<ReceiptTime>) -> Bool {
    one == other || (one.lowerBound < other.upperBound && other.lowerBound < one.upperBound)
  }

  /// Returns the span extended to a time.
  static func extended(_ span: ClosedRange<ReceiptTime>?, _ time: ReceiptTime) -> ClosedRange<ReceiptTime> {
    guard let span else { return time...time }
    return min(span.lowerBound, time)...max(span.upperBound, time)
  }

  /// Returns whether a log can be read more than once.
  static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func span(of log: Log, _ isCancelled: () -> Bool) -> ClosedRange<ReceiptTime>? {
    guard isRegularFile(log.path), var reader = try? PacketLogFile.open(path: log.path, member: log.member),
      reader.format != .monitorStream
    else { return nil }
    var span: ClosedRange<ReceiptTime>?
    var count = 0
    // A damaged log ends at the damage. The records before it have valid times.
    while (try? reader.readRecord { record, _ in
      switch record.content {
      case .lost, .section: return
      default: break
      }
      span = extended(span, record.time)
    }) == true {
      count &+= 1
      if count & 0xFFFF == 0, isCancelled() { return nil }
    }
    return span
  }
}

/// A series of consecutive logs in one archive. Android writes the same traffic in up to three forms, each
/// with an earlier file (`.last`): complete (`btsnoop_hci.log`), without private data (`.filtered`), and
/// truncated (`btsnooz_hci.log`).
private struct ArchiveSeries: Hashable, Sendable {
  var path: String
  var kind: String

  init(path: String, member: String) {
    self.path = path
    let file = (member.split(separator: "/").last ?? "").lowercased()
    kind = file.hasPrefix("btsnooz") ? "short" : file.contains(".filtered") ? "filtered" : "whole"
  }

  var key: String { "\(path)\n\(kind)" }
}
