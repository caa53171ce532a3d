public import Bluetooth
import PacketLog
import Synchronization

/// A packet log as a ``Central``: what a peripheral did then, it does again for whoever listens now.
///
/// The log is pulled: no record is read before its events are asked for, and no more than one batch is in
/// memory. A log that is damaged yields its sound prefix and then ends; ``tally`` names the damage and where
/// it is.
public struct PacketReplayCentral: Central {
  let path: String
  let member: String?
  let measurementHandle: UInt16?
  let pace: ReplayPace
  let memory: ReplayMemory
  let isContinued: Bool
  let latestPlausible: ReceiptTime
  let progress = ReplayProgress()

  /// - Parameters:
  ///   - path: The log; `-` is standard input. Its format is recognised by its content.
  ///   - member: Of an archive with several logs, the one to read.
  ///   - measurementHandle: The handle of Heart Rate Measurement, for logs that hold no declaration of it.
  ///   - memory: What earlier logs taught; share one between logs that are replayed in order.
  ///   - isContinued: The next log that shares the memory goes on where this one ends: see ``ReplayPlan``.
  ///   - latestPlausible: Records with later times are counted: the recorder's clock was wrong.
  public init(
    path: String, member: String? = nil, measurementHandle: UInt16? = nil, pace: ReplayPace = .maximum,
    memory: ReplayMemory = ReplayMemory(), isContinued: Bool = false,
    latestPlausible: ReceiptTime = ReceiptTime(microsecondsSince1970: .max)
  ) {
    self.path = path
    self.member = member
    self.latestPlausible = latestPlausible
    self.measurementHandle = measurementHandle
    self.pace = pace
    self.memory = memory
    self.isContinued = isContinued
  }

  /// The counts so far; after the last event, those of the whole log.
  public var tally: ReplayTally { progress.tally }

  /// Ends the stream after the batch that is being read. What was delivered stays delivered.
  public func stop() { progress.requestStop() }

  public func events() -> ReplayEvents { ReplayEvents(replay: self) }
}

/// The counts of a running replay, and the wish to end it, shared between its reader and its owner.
final class ReplayProgress: Sendable {
  private let state = Mutex((tally: ReplayTally(), isStopRequested: false))

  var tally: ReplayTally { state.withLock { $0.tally } }

  var isStopRequested: Bool { state.withLock { $0.isStopRequested } }

  func requestStop() { state.withLock { $0.isStopRequested = true } }

  func publish(_ tally: ReplayTally) { state.withLock { $0.tally = tally } }
}
