public import Bluetooth
public import PacketLog

/// Writes the log that a recorder would have made of simulated straps.
public enum StrapLog {
  /// What a log holds, in all its files.
  public struct Summary: Hashable, Sendable {
    public var records = 0
    /// Frames of Heart Rate Measurement; one that a strap sent twice is one.
    public var notifications = 0
    public var files = 1
  }

  /// Writes a log; the file is for its owner alone.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output, which is one file whatever the options say.
  ///   - seed: What the hearts and the radio do differently from another seed.
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
