public import Bluetooth
public import PacketLog

/// Writes a packet log of simulated straps, as a recorder would have written it.
///
/// ```swift
/// let summary = try StrapLog.write(
///   to: "gym.btsnoop", straps: [StrapProfile.sample(index: 0)], duration: .seconds(60), seed: 1,
///   start: ReceiptTime(microsecondsSince1970: 1_767_225_600_000_000))
/// print(summary.notifications)
/// ```
public enum StrapLog {
  /// The counts of a log, summed over all of its files.
  public struct Summary: Hashable, Sendable {
    /// Number of records.
    public var records = 0
    /// Number of Heart Rate Measurement frames. A retransmitted frame is counted once.
    public var notifications = 0
    /// Number of files.
    public var files = 1
  }

  /// Writes a log. Other users cannot access its files.
  /// - Parameters:
  ///   - path: The path of the log, or `-` for standard output, which is never split into several files.
  ///   - straps: The straps to simulate.
  ///   - duration: The simulated time.
  ///   - seed: The seed of all random numbers.
  ///   - start: The simulated start time.
  ///   - options: Where the recorder is, and when it starts a new file.
  /// - Returns: The counts of the log.
  /// - Throws: `.io`.
  @discardableResult
  public static func write(
    to path: String, straps: [StrapProfile], duration: Duration, seed: UInt64, start: ReceiptTime,
    options: StrapLogOptions = StrapLogOptions()
  ) throws(PacketLogError) -> Summary {
    let rotation = path == "-" ? nil : options.rotation.map { max(1, Int64($0 / .microseconds(1))) }
    let first = rotation == nil ? path : StrapLogOptions.part(1, of: path)
    var recorder = try recorder(options.recorder, first, straps, seed, start)
    var files = 1
    var end = rotation.map { ReceiptTime(microsecondsSince1970: start.microsecondsSince1970 &+ $0) }
    for event in SimulatedSession(straps: straps, duration: duration, seed: seed, start: start) {
      while let rotation, let time = end, event.time >= time {
        files += 1
        try recorder.rotate(to: StrapLogOptions.part(files, of: path), at: time)
        end = ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 &+ rotation)
      }
      try recorder.append(event)
    }
    try recorder.close()
    var summary = recorder.summary
    summary.files = files
    return summary
  }

  private static func recorder(
    _ recorder: StrapLogOptions.Recorder, _ path: String, _ straps: [StrapProfile], _ seed: UInt64,
    _ start: ReceiptTime
  ) throws(PacketLogError) -> any SessionRecorder {
    switch recorder {
    case .host: try HostRecorder(straps, to: path, at: start)
    case .strap: try PeripheralRecorder(straps, to: path, at: start)
    case .air(let lost): try AirRecorder(straps, to: path, lostAcknowledgements: lost, seed: seed)
    }
  }
}

/// Options of ``StrapLog/write(to:straps:duration:seed:start:options:)``.
public struct StrapLogOptions: Hashable, Sendable {
  /// Where packets are recorded.
  public enum Recorder: Hashable, Sendable {
    /// On the host to which the straps connect, in the format of `btmon -w` (btsnoop, datalink 2001).
    case host
    /// On the first strap, in btsnoop format with datalink 2001.
    case strap
    /// With an over-the-air sniffer, in pcap format with link type 256.
    /// - Parameter lostAcknowledgements: The fraction of the straps' PDUs, from 0 to 1, that are sent twice
    ///   because the acknowledgment is lost.
    case air(lostAcknowledgements: Double)
  }

  /// Where the packets are recorded.
  public var recorder = Recorder.host
  /// The time after which a new file starts; `nil` for a single file. The files are in the same directory and
  /// numbered as in ``part(_:of:)``.
  public var rotation: Duration?

  public init(recorder: Recorder = .host, rotation: Duration? = nil) {
    self.recorder = recorder
    self.rotation = rotation
  }

  /// Returns the path of one file of a log that has several: `gym-002.btsnoop` is the second file of
  /// `gym.btsnoop`.
  public static func part(_ number: Int, of path: String) -> String {
    NumberedLog.path(number, of: path, digits: 3)
  }
}

/// Writes the events of a simulation to a log. It receives the events in chronological order.
protocol SessionRecorder {
  var summary: StrapLog.Summary { get }

  mutating func append(_ event: SimulatedSession.Event) throws(PacketLogError)

  /// Closes the file and starts the next one of the same log.
  mutating func rotate(to path: String, at time: ReceiptTime) throws(PacketLogError)

  mutating func close() throws(PacketLogError)
}
