public import Bluetooth
internal import Foundation
public import PacketLog

/// Records what the host exchanges with its Bluetooth controllers, in a btsnoop log (datalink 2001) with the
/// kernel's times, as `btmon -w` does; but only what concerns some straps, and without keys, unless it is
/// told otherwise.
///
/// Nothing is asked of the radio or of bluetoothd: whoever follows the straps meanwhile is not disturbed.
public final class PacketRecorder: Sendable {
  private let channel: MonitorChannel
  private let inbox = RecordingInbox()
  private let options: RecordingOptions
  private let log: LogSeries
  /// Why the log, which is there and good for all else, could not be made its owner's; `nil` where it is.
  public let ownerRefusal: PacketLogError?

  /// Makes the log, and its owner's alone (mode 0600), since it holds health data in clear.
  ///
  /// - Parameter path: What must not be there yet. With a rotation its files are named after it, and numbered
  ///   on from those that are there; `-` is standard output.
  /// - Throws: `PacketLogError`, `.io`.
  public init(_ channel: MonitorChannel, to path: String, options: RecordingOptions) throws {
    self.channel = channel
    self.options = options
    log = try LogSeries(path: path, rotation: options.rotation, owner: options.owner)
    ownerRefusal = log.ownerRefusal
  }

  /// Records these straps from now on; of no effect where everything is recorded.
  public func record(_ straps: Set<BluetoothAddress>) { inbox.put(straps) }

  /// Records until the task is cancelled. What the kernel had by then is in the log.
  ///
  /// - Precondition: It is called once.
  /// - Throws: `PacketLogError` where the log cannot be written any more, ``RecordingUnavailable`` where the
  ///   channel fails. What was recorded before stays, and ends with a whole record.
  public func run() async throws -> RecordingTally {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // A thread of its own: it waits in the kernel.
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
