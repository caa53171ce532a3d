public import Bluetooth

/// The events of a replay, in batches. For one consumer.
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

    /// - Throws: `CancellationError` while it waits for an event's time. A damaged log does not throw: it
    ///   ends.
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
