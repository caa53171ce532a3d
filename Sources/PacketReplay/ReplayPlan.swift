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
/// adapter) the logs themselves say.
public struct ReplayPlan: Sendable {
  /// One log of the plan.
  public struct Log: Sendable {
    public var path: String
    /// The next log of the plan goes on where this one ends.
    public fileprivate(set) var isContinued = false
    /// From the earliest record to the latest; `nil` where that cannot be known before it is read (a pipe, a
    /// log without wall time, what is no log).
    fileprivate var span: ClosedRange<ReceiptTime>?
  }

  /// 32 s, the longest supervision timeout (Core Specification, Vol 4, Part E, §7.8.12): without a sign for
  /// longer than that, a link may have been lost and made anew.
  static let longestSilence: Int64 = 32_000_000

  /// In the order in which they are to be read.
  public private(set) var logs: [Log]
  /// The logs were not given in the order of their times.
  public private(set) var isReordered = false

  /// Reads the times of regular files; what can be read only once is left where it stands.
  ///
  /// - Parameter isCancelled: Asked while logs are read; then the plan is the order in which they were given.
  public init(paths: [String], isCancelled: () -> Bool = { false }) {
    logs = paths.map { Log(path: $0) }
    guard paths.count > 1 else { return }
    for place in logs.indices { logs[place].span = Self.span(of: logs[place].path, isCancelled) }
    guard !isCancelled() else {
      logs = paths.map { Log(path: $0) }
      return
    }
    sort()
    connect()
  }

  /// Sorts the logs whose times are known among their places.
  private mutating func sort() {
    let places = logs.indices.filter { logs[$0].span != nil }
    let sorted = places.map { (place: $0, log: logs[$0]) }.sorted { one, other in
      let (begin, end) = (one.log.span?.lowerBound, other.log.span?.lowerBound)
      guard let begin, let end, begin != end else { return one.place < other.place }
      return begin < end
    }
    isReordered = zip(places, sorted).contains { $0 != $1.place }
    for (place, entry) in zip(places, sorted) { logs[place] = entry.log }
  }

  private mutating func connect() {
    for place in logs.indices.dropLast() {
      guard let part = logs[place].span, let next = logs[place + 1].span else { continue }
      let silence = next.lowerBound.microseconds(since: part.upperBound)
      guard (0...Self.longestSilence).contains(silence), !Self.isBeside(part, next) else { continue }
      logs[place].isContinued = !logs.indices.contains { other in
        guard other != place, other != place + 1, let third = logs[other].span else { return false }
        return Self.isBeside(third, part) || Self.isBeside(third, next)
      }
    }
  }

  /// Both were recorded at one time; that one begins in the microsecond in which another ends is no sign of
  /// it.
  private static func isBeside(_ one: ClosedRange<ReceiptTime>, _ other: ClosedRange<ReceiptTime>) -> Bool {
    one == other || (one.lowerBound < other.upperBound && other.lowerBound < one.upperBound)
  }

  private static func span(of path: String, _ isCancelled: () -> Bool) -> ClosedRange<ReceiptTime>? {
    var status = stat()
    guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      var reader = try? PacketLogFile.open(path: path), reader.format != .monitorStream
    else { return nil }
    var span: ClosedRange<ReceiptTime>?
    var count = 0
    // Damage ends the log, and what came before it has its times.
    while (try? reader.readRecord { record, _ in
      switch record.content {
      case .lost, .section: return
      default: break
      }
      let known = span ?? record.time...record.time
      span = min(known.lowerBound, record.time)...max(known.upperBound, record.time)
    }) == true {
      count &+= 1
      if count & 0xFFFF == 0, isCancelled() { return nil }
    }
    return span
  }
}
