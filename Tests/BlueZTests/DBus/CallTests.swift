import Foundation
import Testing

@testable import DBus
@testable import TestSupport

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct CallTests {
  private let sum = ExportedMethod(
    name: "Sum", arguments: [.init("a", "i"), .init("b", "i")], results: [.init("sum", "i")]
  ) { call in [.int32(Int32((call.body[0].asInteger ?? 0) + (call.body[1].asInteger ?? 0)))] }

  private let silent = ExportedMethod(name: "Silent") { _ in
    try? await Task.sleep(for: .seconds(3600))
    return []
  }

  @Test func `errors have the name that the bus or the callee gave`() async throws {
    try await withConnections { _, service, client in
      try await service.export(
        sum,
        ExportedMethod(name: "Refuse") { _ throws(BusError) in
          throw BusError("org.bluez.Error.InProgress", "later")
        },
        ExportedMethod(name: "Misnamed") { _ throws(BusError) in throw BusError("no name", "with\u{0}zero") },
        ExportedMethod(name: "Wrong", results: [.init("x", "s")]) { _ in [.int32(1)] },
        ExportedMethod(name: "Unsendable", results: [.init("x", "s")]) { _ in [.string("a\u{0}b")] })
      func name(_ member: String, _ body: [DBusValue] = [], at path: ObjectPath = "/test") async -> BusError
        .Name?
      {
        await failure { () throws(BusError) in try await client.call(service, member, body, at: path) }?.name
      }
      #expect(await name("Nothing") == .unknownMethod)
      #expect(await name("Sum", [.int32(1), .int32(2)], at: "/nowhere") == .unknownObject)
      #expect(await name("Sum", [.int32(1)]) == .invalidArguments)
      #expect(await name("Sum", [.int32(1), .uint32(2)]) == .invalidArguments)
      #expect(await name("Refuse") == "org.bluez.Error.InProgress")
      #expect(await name("Misnamed") == .failed)
      #expect(await name("Wrong") == .failed)
      #expect(await name("Unsendable") == .invalidMessage)
      let unknown = await failure { () throws(BusError) in
        try await client.call(
          MethodCall(destination: "org.example.Nobody", path: "/", interface: "org.example.X", member: "Y"))
      }
      #expect(unknown?.name == .serviceUnknown)
      let interface = await failure { () throws(BusError) in
        try await client.call(
          MethodCall(destination: service.uniqueName, path: "/test", interface: "org.example.X", member: "Y"))
      }
      #expect(interface?.name == .unknownInterface)
      #expect(try await client.call(service, "Sum", [.int32(1), .int32(2)]).body == [.int32(3)])
    }
  }

  @Test func `a call without a reply ends with its timeout`() async throws {
    try await withConnections { _, service, client in
      try await service.export(silent, sum)
      let start = ContinuousClock.now
      let error = await failure { () throws(BusError) in
        try await client.call(service, "Silent", timeout: .milliseconds(100))
      }
      #expect(error?.name == .timedOut)
      #expect(ContinuousClock.now - start >= .milliseconds(100))
      let negative = await failure { () throws(BusError) in
        try await client.call(service, "Silent", timeout: .seconds(-5))
      }
      #expect(negative?.name == .timedOut)
      #expect(try await client.call(service, "Sum", [.int32(1), .int32(2)]).body == [.int32(3)])
    }
  }

  @Test func `canceling ends the wait at once, before and during it`() async throws {
    try await withConnections { _, service, client in
      try await service.export(silent)
      for isUnderWay in [true, false] {
        let waiting = Task { () -> BusError? in
          await failure { () throws(BusError) in try await client.call(service, "Silent", timeout: nil) }
        }
        if isUnderWay { #expect(await eventually { await service.handlers.count == 1 }) }
        waiting.cancel()
        #expect(await waiting.value?.name == "org.hrgate.DBus.Error.Cancelled")
      }
    }
  }

  @Test func `sixty-four concurrent calls each get their own reply`() async throws {
    try await withConnections { _, service, client in
      try await service.export(sum)
      for round in 0..<5 {
        await withTaskGroup(of: (Int, Int?).self) { group in
          for number in 0..<64 {
            group.addTask {
              let body: [DBusValue] = [.int32(Int32(number)), .int32(Int32(round))]
              return (number, try? await client.call(service, "Sum", body).body.first?.asInteger)
            }
          }
          for await (number, result) in group { #expect(result == number + round) }
        }
      }
    }
  }

  @Test func `two connections call each other at the same time`() async throws {
    try await withConnections { _, left, right in
      try await left.export(sum)
      try await right.export(sum)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          let (from, to) = number.isMultiple(of: 2) ? (left, right) : (right, left)
          group.addTask {
            try await from.call(to, "Sum", [.int32(Int32(number)), .int32(1)]).body == [
              .int32(Int32(number) + 1)
            ]
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }

  @Test func `arrivals are strictly ordered and not before the call`() async throws {
    try await withConnections { _, service, client in
      try await service.export(sum)
      var before = try await client.call(service, "Sum", [.int32(0), .int32(0)]).arrival
      for _ in 0..<20 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let sent = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        let arrival = try await client.call(service, "Sum", [.int32(0), .int32(0)]).arrival
        #expect(arrival > before)
        #expect(arrival.boottimeNanoseconds >= sent)
        before = arrival
      }
    }
  }

  @Test func `a call without a reply runs the method, and gets none`() async throws {
    try await withConnections { _, service, client in
      let (runs, continuation) = AsyncStream.makeStream(of: Void.self)
      try await service.export(
        sum,
        ExportedMethod(name: "Note") { _ in
          continuation.yield()
          return []
        })
      let before = try await client.call(service, "Sum", [.int32(0), .int32(0)]).arrival.order
      try await client.send(
        MethodCall(
          destination: service.uniqueName, path: "/test", interface: "org.example.Test", member: "Note"))
      for await _ in runs { break }
      #expect(try await client.call(service, "Sum", [.int32(0), .int32(0)]).arrival.order == before + 1)
    }
  }

  @Test func `a name can be taken once, and its owner can be queried`() async throws {
    try await withConnections { _, service, client in
      #expect(try await client.nameOwner("org.example.Name") == nil)
      try await service.requestName("org.example.Name")
      try await service.requestName("org.example.Name")
      #expect(try await client.nameOwner("org.example.Name") == service.uniqueName)
      let taken = await failure { () throws(BusError) in try await client.requestName("org.example.Name") }
      #expect(taken?.name == .alreadyTaken)
      try await service.releaseName("org.example.Name")
      #expect(try await client.nameOwner("org.example.Name") == nil)
    }
  }
}
