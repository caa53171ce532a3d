import Bluetooth
import Glibc
import PacketLog

/// In which order several logs are read, and which of them go on where another ends.
///
/// A recorder that begins a new file once in a while cuts its recording in parts: a link that is open at the
/// end of one is open at the beginning of the next, which names neither the peer nor its handles. Logs are
/// parts of one recording where the next begins when the one before has ended and no more than
/// ``longestSilence`` later, and no other log was recorded at that time: with a third one it cannot be told
/// which continues which. Anything else stays apart. What ended in between (another boot, another
/// adapter) the logs themselves say. ``LogSections`` has the same rule for the parts of one log.
public struct ReplayPlan: Sendable {
  /// One log of the plan.
  public struct Log: Sendable {
    public var path: String
    /// Of an archive with several logs, the one that is read.
    public var member: String?
    /// The log of an archive and all others that the same recorder wrote in the same way.
    fileprivate var series: ArchiveSeries?
    /// The next log of the plan goes on where this one ends.
    public fileprivate(set) var isContinued = false
    /// From the earliest record to the latest; `nil` where that cannot be known before it is read (a pipe, a
    /// log without wall time, what is no log).
    fileprivate var span: ClosedRange<ReceiptTime>?
  }

  /// 32 s, the longest supervision timeout (Core Specification, Vol 4, Part E, §7.8.12): without a sign for
  /// longer than that, a link may have been lost and made anew.
  static let longestSilence: Int64 = 32_000_000
  /// The times, in microseconds, between the end of a part and the beginning of the next.
  static let silences = 0...longestSilence

  /// In the order in which they are to be read.
  public private(set) var logs: [Log]
  /// The logs were not given in the order of their times.
  public private(set) var isReordered = false

  /// Reads the times of regular files; what can be read only once is left where it stands.
  ///
  /// - Parameter isCancelled: Asked while logs are read; then the plan is the order in which they were given.
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

  /// The log at a path, or those of an archive that holds several.
  private static func logs(at path: String) -> [Log] {
    let members = isRegularFile(path) ? PacketLogFile.members(ofArchiveAt: path) : []
    guard members.count > 1 else { return [Log(path: path)] }
    return members.map { Log(path: path, member: $0, series: ArchiveSeries(path: path, member: $0)) }
  }

  /// Sorts the logs whose times are known among their places. The logs of a series stay together, where the
  /// first of them is.
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
      // Another series of the same archive holds the same traffic in another way, and continues none.
      let series = logs[place].series
      let spans: [ClosedRange<ReceiptTime>?] = logs.map { log in
        if let series, let other = log.series, other.path == series.path, other != series { return nil }
        return log.span
      }
      logs[place].isContinued = Self.isContinued(place, spans)
    }
  }

  /// Whether the part at a place and the one after it are parts of one recording.
  ///
  /// - Parameter spans: From the earliest record of each part to the latest; `nil` if that is not known.
  static func isContinued(_ place: Int, _ spans: [ClosedRange<ReceiptTime>?]) -> Bool {
    guard let part = spans[place], let next = spans[place + 1] else { return false }
    let silence = next.lowerBound.microseconds(since: part.upperBound)
    guard silences.contains(silence), !isBeside(part, next) else { return false }
    return !spans.indices.contains { other in
      guard other != place, other != place + 1, let third = spans[other] else { return false }
      return isBeside(third, part) || isBeside(third, next)
    }
  }

  /// Both were recorded at one time; that one begins in the microsecond in which another ends is no sign of
  /// it.
  private static func isBeside(_ one: ClosedRange<ReceiptTime>, _ other: ClosedRange<ReceiptTime>) -> Bool {
    one == other || (one.lowerBound < other.upperBound && other.lowerBound < one.upperBound)
  }

  /// Returns the span that also has a time.
  static func extended(_ span: ClosedRange<ReceiptTime>?, _ time: ReceiptTime) -> ClosedRange<ReceiptTime> {
    guard let span else { return time...time }
    return min(span.lowerBound, time)...max(span.upperBound, time)
  }

  /// Whether a log can be read more than once.
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
    // Damage ends the log, and what came before it has its times.
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

/// Logs of one archive that follow each other. Android writes the same traffic whole (`btsnoop_hci.log`), without
/// what is private (`.filtered`) or cut short (`btsnooz_hci.log`), each with an earlier file (`.last`).
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
