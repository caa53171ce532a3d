import DBus
import Foundation
import Synchronization
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct ExportTests {
  private static func object(_ level: Level) -> ExportedObject {
    ExportedObject(interfaces: [
      ExportedInterface(
        name: "org.example.Level",
        methods: [
          ExportedMethod(name: "Raise", arguments: [.init("by", "i")], results: [.init("now", "i")]) { call in
            [.int32(level.raise(call.body[0].asInteger ?? 0))]
          }
        ],
        properties: [
          ExportedProperty(
            name: "Now", signature: "i", get: { () throws(BusError) in .int32(level.now) },
            set: { value throws(BusError) in level.set(value.asInteger ?? 0) }),
          ExportedProperty(name: "Unit", constant: .string("m")),
          ExportedProperty(
            name: "Absent", signature: "s", get: { () throws(BusError) in throw BusError(.failed, "not now") }
          ),
        ],
        signals: [ExportedSignal(name: "Raised", arguments: [.init("to", "i")])])
    ])
  }

  private final class Level: Sendable {
    private let value = Mutex<Int32>(0)
    var now: Int32 { value.withLock { $0 } }
    func set(_ number: Int) { value.withLock { $0 = Int32(number) } }
    func raise(_ by: Int) -> Int32 {
      value.withLock {
        $0 += Int32(by)
        return $0
      }
    }
  }

  private func properties(
    _ member: String, _ body: [DBusValue], _ service: BusConnection, _ client: BusConnection,
    at path: ObjectPath = "/app/level"
  ) async throws(BusError) -> [DBusValue] {
    try await client.call(
      MethodCall(
        destination: service.uniqueName, path: path, interface: "org.freedesktop.DBus.Properties",
        member: member,
        body: body)
    ).body
  }

  @Test func `properties are read, listed and set`() async throws {
    try await withConnections { _, service, client in
      try await service.export(Self.object(Level()), at: "/app/level")
      let level = DBusValue.string("org.example.Level")
      #expect(try await properties("Get", [level, .string("Now")], service, client) == [.variant(.int32(0))])
      #expect(
        try await properties("Set", [level, .string("Now"), .variant(.int32(7))], service, client) == [])
      let all: [DBusValue] = [.properties(["Now": .int32(7), "Unit": .string("m")])]
      #expect(try await properties("GetAll", [level], service, client) == all)
      #expect(try await properties("GetAll", [.string("")], service, client) == all)
      func name(_ member: String, _ body: [DBusValue]) async -> BusError.Name? {
        await failure { () throws(BusError) in _ = try await properties(member, body, service, client) }?.name
      }
      #expect(await name("Set", [level, .string("Now"), .variant(.string("x"))]) == .invalidArguments)
      #expect(await name("Set", [level, .string("Unit"), .variant(.string("x"))]) == .propertyReadOnly)
      #expect(await name("Get", [level, .string("None")]) == .unknownProperty)
      #expect(await name("Get", [level, .string("Absent")]) == .failed)
      #expect(await name("Get", [.string("a.b"), .string("Now")]) == .unknownInterface)
      #expect(await name("GetAll", [.string("a.b")]) == .unknownInterface)
      #expect(await name("Get", [level]) == .invalidArguments)
    }
  }

  @Test func `a manager lists the objects below it, and reports added and removed ones`() async throws {
    try await withConnections { _, service, client in
      try await service.export(ExportedObject(isObjectManager: true), at: "/app")
      try await service.export(Self.object(Level()), at: "/app/level")
      try await service.export(ExportedObject(), at: "/application")
      let interface = "org.freedesktop.DBus.ObjectManager"
      let listed = try await client.call(
        .init(
          destination: service.uniqueName, path: "/app", interface: interface, member: "GetManagedObjects"))
      let interfaces = DBusValue.dictionary(
        key: "s", value: "a{sv}",
        [.string("org.example.Level"): .properties(["Now": .int32(0), "Unit": .string("m")])])
      #expect(
        listed.body == [
          .dictionary(key: "o", value: "a{sa{sv}}", [.objectPath("/app/level"): interfaces])
        ])
      let none = await failure { () throws(BusError) in
        try await client.call(
          .init(
            destination: service.uniqueName, path: "/app/level", interface: interface,
            member: "GetManagedObjects"))
      }
      #expect(none?.name == .unknownInterface)
      let changes = try await client.signals(matching: [MatchRule(path: "/app", interface: interface)])
      try await service.announce("/app/level")
      await service.unexport("/app/level")
      var iterator = changes.makeAsyncIterator()
      guard case .signal(let added) = await iterator.next(), case .signal(let removed) = await iterator.next()
      else {
        Issue.record("no signal")
        return
      }
      #expect(added.member == "InterfacesAdded")
      #expect(added.body == [.objectPath("/app/level"), interfaces])
      #expect(removed.member == "InterfacesRemoved")
      #expect(removed.body == [.objectPath("/app/level"), .strings(["org.example.Level"])])
    }
  }

  @Test func `an object is exported once, and only with valid names and types`() async throws {
    try await withConnections { _, service, client in
      try await service.export(Self.object(Level()), at: "/app/level")
      let twice = await failure { () throws(BusError) in
        try await service.export(ExportedObject(), at: "/app/level")
      }
      #expect(twice?.name == .alreadyTaken)
      let method = ExportedMethod(name: "M") { _ in [] }
      let wrong = [
        ExportedInterface(name: "x"), ExportedInterface(name: "org.freedesktop.DBus.Properties"),
        ExportedInterface(name: "a.b", methods: [.init(name: "1") { _ in [] }]),
        ExportedInterface(name: "a.b", methods: [method, method]),
        ExportedInterface(
          name: "a.b",
          properties: [.init(name: "P", signature: "ii", get: { () throws(BusError) in .byte(0) })]),
        ExportedInterface(name: "a.b", signals: [.init(name: "S", arguments: [.init("a", "")])]),
      ]
      for interface in wrong {
        let error = await failure { () throws(BusError) in
          try await service.export(ExportedObject(interfaces: [interface]), at: "/x")
        }
        #expect(error?.name == .invalidMessage)
      }
    }
  }

  @Test func `a foreign client calls and reads the introspection data`() async throws {
    try await withConnections { bus, service, _ in
      let sender = "/usr/bin/dbus-send"
      guard FileManager.default.isExecutableFile(atPath: sender) else {
        print("skipped: \(sender) is not installed")
        return
      }
      try await service.export(ExportedObject(isObjectManager: true), at: "/app")
      try await service.export(Self.object(Level()), at: "/app/level")
      func ask(_ path: String, _ arguments: String...) async throws -> String {
        guard case .address(let address) = bus.address else { return "" }
        return try await Program.output(
          of: sender,
          ["--bus=\(address)", "--print-reply=literal", "--dest=\(service.uniqueName)", path] + arguments)
      }
      let xml = try await ask("/app/level", "org.freedesktop.DBus.Introspectable.Introspect")
      let document = try Introspected(xml)
      #expect(document.methods["org.example.Level.Raise"] == ["in i by", "out i now"])
      #expect(document.properties["org.example.Level.Now"] == "i readwrite")
      #expect(document.properties["org.example.Level.Unit"] == "s read")
      #expect(
        document.signals == ["org.example.Level.Raised", "org.freedesktop.DBus.Properties.PropertiesChanged"])
      #expect(document.methods["org.freedesktop.DBus.Properties.Get"] != nil)
      let root = try Introspected(try await ask("/", "org.freedesktop.DBus.Introspectable.Introspect"))
      #expect(root.nodes == ["app"])
      #expect(root.methods.keys.sorted() == ["org.freedesktop.DBus.Introspectable.Introspect"])
      let app = try Introspected(try await ask("/app", "org.freedesktop.DBus.Introspectable.Introspect"))
      #expect(app.nodes == ["level"])
      #expect(app.methods["org.freedesktop.DBus.ObjectManager.GetManagedObjects"] != nil)
      #expect(try await ask("/app/level", "org.example.Level.Raise", "int32:5").contains("int32 5"))
      #expect(try await ask("/app/level", "org.freedesktop.DBus.Peer.Ping").isEmpty)
    }
  }
}
