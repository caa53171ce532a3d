import Testing

@testable import DBus
@testable import TestSupport

@Suite struct WriteQueueTests {
  @Test func `what was queued is written in order, in whatever pieces it is taken`() {
    var random = SeededGenerator(seed: 23)
    var queue = WriteQueue()
    var queued: [UInt8] = []
    var written: [UInt8] = []
    for _ in 0..<2000 {
      let more = (0..<Int.random(in: 0...600, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
      queued += more
      queue.append(more)
      let most = Int.random(in: 0...620, using: &random)
      if !queue.isEmpty {
        queue.drain { octets in
          let taken = min(most, octets.count)
          written += octets.prefix(taken)
          return ((), taken: taken)
        }
      }
    }
    #expect(queue.isEmpty == (written.count == queued.count))
    #expect(written + queue.takeAll() == queued)
    #expect(queue.isEmpty)
  }

  @Test func `what was written is given back while more waits`() {
    var queue = WriteQueue()
    queue.append([UInt8](repeating: 1, count: 8 << 20))
    for _ in 0..<79 { queue.drain { _ in ((), taken: 100_000) } }
    #expect(!queue.isEmpty)
    #expect(queue.room < 2 << 20)
    queue.drain { ((), taken: $0.count) }
    #expect(queue.isEmpty)
    #expect(queue.room <= 64 << 10)
  }
}
