import CDBus
import Foundation
import Glibc
import Synchronization
import Testing

@testable import DBus

/// Tests a bus or an event loop that does not keep up with its messages.
@Suite(.timeLimit(.minutes(30)))
struct BacklogTests {
  @Test func `while a bus accepts no connections, the loop keeps running, and the connection is made later`()
    async throws
  {
    try #require(PrivateBus.isInstalled)
    let mayAccept = DispatchSemaphore(value: 0)
    let server = try ScriptedServer(waiting: 0, mayAccept: mayAccept) { client in
      client.serve(until: "")
    }
    let waiting = server.fillBacklog()
    #expect(!waiting.isEmpty)
    let bus = try PrivateBus()
    let loop = EventLoop()
    let other = try await BusConnection.open(bus.address, on: loop)
    try await withTaskExecutorPreference(loop.taskExecutor) {
      // The request must be queued on the loop before the reply to the second connection's call can arrive.
      async let opening = BusConnection.open(server.address, on: loop, timeout: .seconds(600))
      try await other.call(.bus("GetId"))
      for descriptor in waiting { close(descriptor) }
      mayAccept.signal()
      await (try opening).close()
    }
    await other.close()
  }

  @Test func `a bus that accepts no connections is an error after the timeout, and waiting can be canceled`()
    async throws
  {
    let mayAccept = DispatchSemaphore(value: 0)
    let server = try ScriptedServer(waiting: 0, mayAccept: mayAccept) { _ in }
    let waiting = server.fillBacklog()
    let error = await failure { () throws(BusError) in
      _ = try await BusConnection.open(server.address, on: EventLoop(), timeout: .milliseconds(20))
    }
    #expect(error?.name == .timedOut)
    #expect(error?.message.contains("did not accept the connection") == true)
    let address = server.address
    let opening = Task { () -> BusError? in
      await failure { () throws(BusError) in
        _ = try await BusConnection.open(address, on: EventLoop(), timeout: .seconds(600))
      }
    }
    opening.cancel()
    #expect(await opening.value?.name == .cancelled)
    for descriptor in waiting { close(descriptor) }
    mayAccept.signal()
  }

  /// Calls a method while the event loop is blocked. Meanwhile the server writes more signals than the loop
  /// reads at once, and then its reply.
  ///
  /// - Parameter standing: Runs on the loop before it is blocked.
  private static func answer(
    timeout: Duration?, standing: @escaping @Sendable (EventLoop) -> Void = { _ in },
    answered: @escaping @Sendable (EventLoop) -> Void = { _ in }
  ) async throws -> Result<[DBusValue], BusError> {
    let isWritten = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { client in
      guard let serial = client.serve(until: "Go") else { return }
      for _ in 0..<10 { client.emit(ScriptedServer.change([UInt8](repeating: 1, count: 4000)), serial: 5) }
      client.reply([.string("there")], to: serial)
      isWritten.signal()
      client.serve(until: "")
    }
    let loop = EventLoop()
    let connection = try await BusConnection.open(server.address, on: loop)
    let result = await withCheckedContinuation { continuation in
      loop.thread.perform {
        connection.assumeIsolated { connection in
          connection.request(.bus("Go"), ticket: connection.nextTicket(), timeout: timeout) { result in
            loop.thread.perform { answered(loop) }
            continuation.resume(returning: result.map(\.body))
          }
        }
        standing(loop)
        isWritten.wait()
      }
    }
    await connection.close()
    return result
  }

  @Test func `a reply that has arrived is not too late, whatever precedes it`() async throws {
    #expect(try await Self.answer(timeout: .zero).get() == [.string("there")])
  }

  @Test func `the caller of a call whose reply has arrived continues before a timer fires`() async throws {
    let order = Mutex<[String]>([])
    let (fires, hasFired) = AsyncStream<Void>.makeStream()
    let timer = Mutex<LoopTimer?>(nil)
    _ = try await Self.answer(timeout: nil) { loop in
      let alarm = LoopTimer(on: loop) {
        order.withLock { $0.append("timer") }
        hasFired.finish()
      }
      alarm.set(after: .zero)
      timer.withLock { $0 = alarm }
    } answered: { _ in
      order.withLock { $0.append("answer") }
    }
    for await _ in fires {}
    #expect(order.withLock { $0 } == ["answer", "timer"])
  }

  @Test func `a peer that never stops sending does not delay timers`() async {
    let loop = EventLoop()
    let descriptor = eventfd(1, 0)
    await withCheckedContinuation { continuation in
      loop.thread.perform {
        let watch = loop.thread.watch(descriptor, Int16(POLLIN)) {}
        _ = loop.thread.schedule(after: .zero) {
          loop.thread.removeWatch(watch)
          continuation.resume()
        }
      }
    }
    close(descriptor)
  }
}
