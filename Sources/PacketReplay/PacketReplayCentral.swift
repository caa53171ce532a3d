public import Bluetooth
import PacketLog
import Synchronization

/// A packet log as a ``Central``. It reports the recorded events as a live adapter would.
///
/// Reading is on demand: no record is read before its events are requested, and at most one batch is in
/// memory. A damaged log yields the events before the damage and then ends; ``tally`` has the reason and the
/// position.
///
/// ```swift
/// let replay = PacketReplayCentral(path: "recording.btsnoop")
/// for try await batch in replay.events() {
///   print(batch.count)
/// }
/// print(replay.tally.notifications)
/// ```
public struct PacketReplayCentral: Central {
  let path: String
  let member: String?
  let measurementHandle: UInt16?
  let pace: ReplayPace
  let memory: ReplayMemory
  let isContinued: Bool
  let latestPlausible: ReceiptTime
  let progress = ReplayProgress()

  /// Creates a replay of a log.
  /// - Parameters:
  ///   - path: The path of the log, or `-` for standard input. Its format is detected from its content.
  ///   - member: The log to read from an archive with several logs.
  ///   - measurementHandle: The handle of Heart Rate Measurement, for logs that do not declare it.
  ///   - pace: The speed of the replay.
  ///   - memory: Knowledge from earlier logs. Share one memory between logs that are replayed in order.
  ///   - isContinued: Whether the next log that shares the memory continues this one; see ``ReplayPlan``.
  ///   - latestPlausible: Records with later times are counted as implausible, because the recorder's clock
  ///     was wrong.
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

  /// The counts so far, or those of the whole log after the last event.
  public var tally: ReplayTally { progress.tally }

  /// Ends the stream after the current batch. Events that were already delivered stay valid.
  public func stop() { progress.requestStop() }

  /// Returns the events of the log. The log is opened when iteration starts.
  public func events() -> ReplayEvents { ReplayEvents(replay: self) }
}

/// The counts and the stop request of a running replay, shared between its reader and its owner.
final class ReplayProgress: Sendable {
  private let state = Mutex((tally: ReplayTally(), isStopRequested: false))

  var tally: ReplayTally { state.withLock { $0.tally } }

  var isStopRequested: Bool { state.withLock { $0.isStopRequested } }

  func requestStop() { state.withLock { $0.isStopRequested = true } }

  func publish(_ tally: ReplayTally) { state.withLock { $0.tally = tally } }
}

/// The events of a replay in batches, for a single consumer.
public struct ReplayEvents: AsyncSequence {
  public typealias Element = [CentralEvent]
  public typealias Failure = any Error

  let replay: PacketReplayCentral

  public func makeAsyncIterator() -> Iterator { Iterator(replay) }

  public struct Iterator: AsyncIteratorProtocol {
    private let progress: ReplayProgress
    private let cursor: ReplayCursor
    private var schedule: ReplaySchedule
    private var hasEnded = false

    init(_ replay: PacketReplayCentral) {
      progress = replay.progress
      cursor = ReplayCursor(replay)
      schedule = ReplaySchedule(pace: replay.pace)
    }

    /// Returns the next batch, or nil at the end of the log.
    /// - Throws: `CancellationError` while it waits for the time of an event. A damaged log ends without an
    ///   error.
    public mutating func next() async throws -> [CentralEvent]? {
      let progress = progress
      while !hasEnded {
        let batch = progress.isStopRequested ? nil : cursor.nextBatch(limit: schedule.batchLimit)
        guard let batch else {
          hasEnded = true
          cursor.finish(wasStopped: progress.isStopRequested)
          progress.publish(cursor.tally)
          break
        }
        progress.publish(cursor.tally)
        guard !batch.isEmpty else { continue }
        if let time = cursor.tally.lastTime {
          try await schedule.wait(until: time) { progress.isStopRequested }
        }
        return batch
      }
      return nil
    }
  }
}
