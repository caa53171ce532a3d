public import Bluetooth
import PacketLog
import Synchronization

/// A packet log as a ``Central``. It reports the recorded events as a live adapter would.
///
/// Records are read only when their events are requested, so at most one batch is in memory. If the log is
/// damaged, the events before the damage are delivered, and the stream ends; ``tally`` has the error and its
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
  ///   - measurementHandle: The attribute handle of Heart Rate Measurement, for logs that do not contain its
  ///     declaration.
  ///   - pace: The speed of the replay.
  ///   - memory: The knowledge about peers from earlier logs. Pass the same object for all logs that are
  ///     replayed in sequence.
  ///   - isContinued: Whether the next log with the same memory continues this one; see ``ReplayPlan``.
  ///   - latestPlausible: Records with later times count as implausible, because the recorder's clock must
  ///     have been wrong.
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

  /// Ends the stream after the current batch.
  public func stop() { progress.requestStop() }

  /// Returns the events of the log. The log is opened when iteration starts.
  public func events() -> ReplayEvents { ReplayEvents(replay: self) }
}

/// The counts of a running replay, and the request to stop it. Shared by the stream and
/// ``PacketReplayCentral``.
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

    /// Returns the next batch; `nil` at the end of the log.
    /// - Throws: `CancellationError` if the task is canceled while it waits for the time of an event. A
    ///   damaged log does not throw an error here; see ``PacketReplayCentral/tally``.
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
