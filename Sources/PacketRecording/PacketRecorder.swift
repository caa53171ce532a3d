public import Bluetooth
internal import Foundation
public import PacketLog

/// Records the traffic between the host and its Bluetooth controllers.
///
/// The log is btsnoop with datalink 2001 and the kernel's times, as written by `btmon -w`. By default it
/// contains only the traffic of certain straps, without keys.
///
/// Recording uses neither the radio nor bluetoothd, so it does not disturb other programs that use the
/// straps.
///
/// ```swift
/// let channel = try MonitorChannel()
/// let options = RecordingOptions(.everything)
/// let recorder = try PacketRecorder(channel, to: "gym.btsnoop", options: options)
/// let tally = try await recorder.run()  // Records until the task is cancelled.
/// print(tally.recorded, tally.dropped)
/// ```
public final class PacketRecorder: Sendable {
  private let channel: MonitorChannel
  private let inbox = RecordingInbox()
  private let options: RecordingOptions
  private let log: LogSeries
  /// The error if the owner of the log could not be set, or `nil`. The log is usable nevertheless.
  public let ownerRefusal: PacketLogError?

  /// Creates the log, accessible by its owner only (mode 0600), because it contains unencrypted health data.
  /// - Parameters:
  ///   - channel: The source of the packets.
  ///   - path: The path of a new file, or `-` for standard output. With rotation, the files are named after
  ///     it and numbered from the highest existing number on.
  ///   - options: What to record, and into which files.
  /// - Throws: `PacketLogError`, `.io`.
  public init(_ channel: MonitorChannel, to path: String, options: RecordingOptions) throws {
    self.channel = channel
    self.options = options
    log = try LogSeries(path: path, rotation: options.rotation, owner: options.owner)
    ownerRefusal = log.ownerRefusal
  }

  /// Replaces the set of recorded straps. Has no effect if everything is recorded.
  public func record(_ straps: Set<BluetoothAddress>) { inbox.put(straps) }

  /// Records until the task is canceled. The log then contains everything that the kernel had received by
  /// that time.
  /// - Precondition: Called once.
  /// - Throws: `PacketLogError` if the log cannot be written; ``RecordingUnavailableError`` if the channel
  ///   fails. The log is kept and ends with a complete record.
  public func run() async throws -> RecordingTally {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Use a separate thread, because it blocks in the kernel.
        let thread = Thread { [self] in continuation.resume(with: Result { try runOnThread() }) }
        thread.name = "recording"
        thread.start()
      }
    } onCancel: {
      inbox.end()
    }
  }

  private func runOnThread() throws -> RecordingTally {
    var loop = RecordingLoop(channel, inbox, log, options)
    return try loop.run()
  }
}
