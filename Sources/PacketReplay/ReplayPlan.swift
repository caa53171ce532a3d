import Bluetooth
import Glibc
import PacketLog

/// Determines the order in which several logs are replayed, and which logs continue another one.
///
/// If a recorder starts a new file from time to time, a link may be open at the end of one file and the start
/// of the next. The next file then contains neither the peer's address nor its handles.
///
/// A log continues the previous one if it starts at most ``longestSilence`` after that log's end, and no
/// third log overlaps in time with either. With a third log, it would be unclear which continues which. If
/// the machine was rebooted or the adapter changed in between, the log itself reveals it. ``LogSections``
/// applies the same rule within one log.
public struct ReplayPlan: Sendable {
  /// One log of the plan.
  public struct Log: Sendable {
    /// The path of the log or its archive, or `-` for standard input.
    public var path: String
    /// The name of the log within an archive that contains several.
    public var member: String?
    /// The series of consecutive logs in an archive to which this log belongs; `nil` if it is not in an
    /// archive with several logs.
    fileprivate var series: ArchiveSeries?
    /// Whether the next log of the plan continues this one.
    public fileprivate(set) var isContinued = false
    /// The earliest and the latest time; `nil` if they cannot be read in advance (a pipe, a log without
    /// wall-clock times, or a file that is not a log).
    fileprivate var span: ClosedRange<ReceiptTime>?
  }

  /// The longest supervision timeout, 32 s (Core Specification, Vol 4, Part E, §7.8.12), in microseconds.
  /// After a longer period without packets, the link may have been lost and made again.
  static let longestSilence: Int64 = 32_000_000
  /// The intervals between the end of one log and the start of the next, in microseconds, for which the next
  /// log continues it.
  static let silences = 0...longestSilence

  /// The logs in the order of replay.
  public private(set) var logs: [Log]
  /// Whether this order differs from the order in which the logs were given.
  public private(set) var isReordered = false

  /// Reads the times of all logs and sorts the logs by them. A log that can be read only once, such as a
  /// pipe, keeps its position in the list.
  /// - Parameters:
  ///   - paths: The paths of the logs.
  ///   - isCancelled: Called while logs are read. If it returns true, the given order is kept.
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

  /// Sorts the logs with known times. The rest keep their positions in the list. The logs of one series in an
  /// archive stay together.
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
      // Another series of the same archive contains the same traffic in another form. It is irrelevant to
      // which log continues which.
      let series = logs[place].series
      let spans: [ClosedRange<ReceiptTime>?] = logs.map { log in
        if let series, let other = log.series, other.path == series.path, other != series { return nil }
        return log.span
      }
      logs[place].isContinued = Self.isContinued(place, spans)
    }
  }

  /// Returns whether a log (or section) is continued by the next one.
  /// - Parameters:
  ///   - place: The index of the log.
  ///   - spans: The earliest and the latest time of each log; `nil` if unknown.
  static func isContinued(_ place: Int, _ spans: [ClosedRange<ReceiptTime>?]) -> Bool {
    guard let part = spans[place], let next = spans[place + 1] else { return false }
    let silence = next.lowerBound.microseconds(since: part.upperBound)
    guard silences.contains(silence), !isBeside(part, next) else { return false }
    return !spans.indices.contains { other in
      guard other != place, other != place + 1, let third = spans[other] else { return false }
      return isBeside(third, part) || isBeside(third, next)
    }
  }

  /// Returns whether two time spans overlap. They do not if one ends when the other begins.
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
    // A damaged log ends at the damage. The records before it are usable.
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

/// Consecutive logs in one archive. Android writes the same traffic in up to three forms, each with its
/// previous file (`.last`): complete (`btsnoop_hci.log`), without private data (`.filtered`), and truncated
/// (`btsnooz_hci.log`).
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
