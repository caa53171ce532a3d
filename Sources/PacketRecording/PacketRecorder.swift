public import Bluetooth
internal import Foundation
public import PacketLog

/// Records the traffic between the host and its Bluetooth controllers.
///
/// The log has the format of `btmon -w` (btsnoop, datalink 2001) and the kernel's times. With
/// ``RecordingOptions/Scope/straps(_:)`` it contains only the traffic of certain straps. Keys are removed
/// unless the options keep them.
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
  /// The error of setting the owner of the log; `nil` if there was none. The log is usable in any case.
  public let ownerRefusal: PacketLogError?

  /// Creates the log. Only its owner can access it (mode 0600), because it contains unencrypted health data.
  /// - Parameters:
  ///   - channel: The source of the packets.
  ///   - path: The path of a new file, or `-` for standard output. With rotation, a number is added to the
  ///     file name, starting after the highest existing one.
  ///   - options: What to record, and into which files.
  /// - Throws: `PacketLogError`, `.io`.
  public init(_ channel: MonitorChannel, to path: String, options: RecordingOptions) throws {
    self.channel = channel
    self.options = options
    log = try LogSeries(path: path, rotation: options.rotation, owner: options.owner)
    ownerRefusal = log.ownerRefusal
  }

  /// Replaces the set of straps whose traffic is recorded. Has no effect if everything is recorded.
  public func record(_ straps: Set<BluetoothAddress>) { inbox.put(straps) }

  /// Records until the task is canceled. The log then contains everything that the kernel received until
  /// then.
  /// - Precondition: This is the only call.
  /// - Throws: `PacketLogError` if the log cannot be written; ``RecordingUnavailableError`` if the channel
  ///   fails. The log is kept and ends with a complete record.
  public func run() async throws -> RecordingTally {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Use a dedicated thread, because it waits in poll(2).
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
