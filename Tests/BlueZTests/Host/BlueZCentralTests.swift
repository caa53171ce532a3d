import Bluetooth
import DBus
import Synchronization
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests the gateway's central with a scripted org.bluez on a real bus.
@Suite(.enabled(if: ScriptedBlueZ.isInstalled), .timeLimit(.minutes(30)))
struct BlueZCentralTests {
  final class Log: Sendable {
    private struct Heard {
      var states: [FollowState] = []
      /// The number of reported states that `reached` has already checked.
      var seen = 0
      var words: [String] = []
      var batches: [Int] = []
      var isDescribed = false
    }

    private let heard = Mutex(Heard())
    var states: [FollowState] { heard.withLock(\.states) }
    var words: [String] { heard.withLock(\.words) }
    /// The number of events in each batch.
    var batches: [Int] { heard.withLock(\.batches) }
    /// Whether all events that describe a new link have arrived.
    var isDescribed: Bool { heard.withLock(\.isDescribed) }
    func note(_ status: FollowStatus) { heard.withLock { $0.states.append(status.state) } }
    func note(_ events: [CentralEvent]) {
      heard.withLock { heard in
        heard.batches.append(events.count)
        for event in events {
          switch event {
          case .connected: heard.words.append("connected")
          case .disconnected: heard.words.append("disconnected")
          case .gapBegan(_, let cause, _): heard.words.append(cause.rawValue)
          case .notified(let notification): heard.words.append("\(notification.value)")
          case .described: heard.isDescribed = true
          default: break
          }
        }
      }
    }

    /// Waits until a state is reported after the one of the previous call. The state may already have changed
    /// again.
    func reached(_ state: FollowState) async -> Bool {
      await eventually {
        heard.withLock { heard in
          guard let place = heard.states[heard.seen...].firstIndex(of: state) else { return false }
          heard.seen = place + 1
          return true
        }
      }
    }
  }

  /// Timeouts so long that a slow machine does not trigger them.
  private static let patientPolicy: FollowingPolicy = {
    var policy = FollowingPolicy()
    policy.silence = .seconds(3600)
    policy.reconnectAfterSilence = .seconds(3600)
    policy.resolving = .seconds(3600)
    policy.connectAttempt = .seconds(3600)
    return policy
  }()

  private func withCentral(
    tree: String = ScriptedTree.json(), timeout: Duration = .asLongAsItTakes,
    gathering: Duration = .zero, policy: FollowingPolicy = patientPolicy,
    preparing: (ScriptedBlueZ) async throws -> Void = { _ in },
    _ body: (ScriptedBlueZ, BlueZCentral, Log) async throws -> Void
  ) async throws {
    let bluez = try ScriptedBlueZ(tree: tree)
    try await bluez.waitUntilReady()
    try await preparing(bluez)
    let log = Log()
    let central = BlueZCentral(
      bus: bluez.address, adapter: nil, clock: nil, gathering: gathering,
      policy: policy, timeout: timeout
    ) { log.note($0) }
    await central.follow([FollowedMonitor(address: ScriptedTree.address)])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await central.run() }
      group.addTask { for try await events in central.events() { log.note(events) } }
      defer { group.cancelAll() }
      try await body(bluez, central, log)
      await central.stop()
    }
  }

  private func notify(_ bluez: ScriptedBlueZ, _ values: String...) async throws {
    let list = values.map { "\"\($0)\"" }.joined(separator: ",")
    try await bluez.order(#""do": "notify", "path": "\#(ScriptedTree.measurement)", "values": [\#(list)]"#)
  }

  @Test func `notifications of a strap become events, in order`() async throws {
    try await withCentral { bluez, central, log in
      #expect(await log.reached(.following))
      try await notify(bluez, "0048", "0049", "004a")
      #expect(await eventually { log.words.count >= 4 })
      #expect(log.words == ["connected", "0048", "0049", "004a"])
      #expect(await eventually { bluez.count("StartNotify") == 1 })
      #expect(await eventually { bluez.count("RegisterApplication") == 1 })
      // `stop` returns when bluetoothd has replied, and does not wait for the timeout.
      await central.stop(timeout: .seconds(3600))
      #expect(await eventually { bluez.count("StopNotify") == 1 }, "\(bluez.calls.map(\.member))")
      #expect(bluez.count("Disconnect") == 0)
    }
  }

  @Test func `a strap that sends nothing is reported as silent, and followed again when it sends`()
    async throws
  {
    var policy = Self.patientPolicy
    policy.silence = .milliseconds(100)
    try await withCentral(policy: policy) { bluez, _, log in
      #expect(await log.reached(.following))
      #expect(await log.reached(.silent))
      #expect(await eventually { bluez.count("StartNotify") >= 2 })
      try await notify(bluez, "0048")
      #expect(await eventually { log.words.contains("0048") })
      #expect(await log.reached(.following))
      #expect(await log.reached(.silent))
      #expect(log.words.filter { $0 == "0048" } == ["0048"])
      #expect(bluez.count("Disconnect") == 0)
    }
  }

  @Test func `gathered events are delivered together after their time, and pending ones at the end`()
    async throws
  {
    try await withCentral(gathering: .seconds(1)) { bluez, central, log in
      #expect(await log.reached(.following))
      // Wait for the events that describe the new link, including the values that are read then.
      #expect(await eventually { log.isDescribed })
      #expect(log.words == ["connected"])
      let begin = ContinuousClock.now
      try await notify(bluez, "0048", "0049")
      #expect(await eventually { log.words.count >= 3 })
      #expect(ContinuousClock.now - begin > .milliseconds(900))
      #expect(log.words == ["connected", "0048", "0049"])
      #expect(log.batches.last == 2)
      try await notify(bluez, "004a")
      try await bluez.order(
        #""do": "set", "path": "\#(ScriptedTree.strap)", "interface": "org.bluez.Device1", "properties": {"Connected": false}"#
      )
      #expect(await log.reached(.away))
      await central.stop()
      #expect(await eventually { log.words.contains("disconnected") })
      #expect(log.words.prefix(5) == ["connected", "0048", "0049", "004a", "link-loss"])
    }
  }

  @Test func `stop ends even if bluetoothd does not reply`() async throws {
    try await withCentral { bluez, central, log in
      #expect(await log.reached(.following))
      try await bluez.order(#""do": "reply", "method": "StopNotify", "never": true"#)
      // The timeout is long enough for the call to be sent, even on a busy machine.
      await central.stop(timeout: .seconds(30))
      #expect(await eventually { bluez.count("StopNotify") == 1 }, "\(bluez.calls.map(\.member))")
    }
  }

  @Test func `a strap that bluetoothd does not know is discovered and followed`() async throws {
    try await withCentral(tree: ScriptedTree.json(isKnown: false)) { bluez, _, log in
      #expect(await log.reached(.following))
      #expect(log.states.contains(.searching))
      #expect(await eventually { bluez.count("StopDiscovery") == 1 })
    }
  }

  @Test(arguments: [
    #""error": "Failed", "message": "le-connection-abort-by-local""#,
    #""error": "org.bluez.Error.AlreadyConnected""#,
    #""error": "Failed", "message": "le-connection-concurrent-connection-limit""#,
  ])
  func `a failed attempt is followed by another`(refusal: String) async throws {
    try await withCentral(preparing: {
      try await $0.order(#""do": "reply", "method": "Connect", \#(refusal)"#)
    }) {
      bluez, _, log in
      #expect(await log.reached(.following))
      #expect(await eventually { bluez.count("Connect") == 2 })
    }
  }

  @Test func `an attempt of another client is waited for`() async throws {
    try await withCentral(preparing: {
      try await $0.order(#""do": "reply", "method": "Connect", "error": "InProgress""#)
    }) { bluez, _, log in
      #expect(await eventually { bluez.count("Connect") == 1 })
      try await bluez.order(
        #""do": "set", "path": "\#(ScriptedTree.strap)", "interface": "org.bluez.Device1", "properties": {"Connected": true}"#
      )
      #expect(await log.reached(.resolving))
      #expect(await eventually { bluez.count("Connect") == 1 })
    }
  }

  @Test func `signals that overtake the reply to Connect and to StartNotify lose nothing`() async throws {
    let value = #"{"do": "notify", "path": "\#(ScriptedTree.measurement)", "values": ["0050"]}"#
    try await withCentral(preparing: {
      try await $0.order(
        #""do": "reply", "method": "Connect", "delay": 0.3, "before": [{"do": "set", "path": "\#(ScriptedTree.strap)", "interface": "org.bluez.Device1", "properties": {"Connected": true}}, {"do": "sleep", "seconds": 0.2}]"#
      )
      try await $0.order(#""do": "reply", "method": "StartNotify", "before": [\#(value)]"#)
    }) { bluez, _, log in
      #expect(await log.reached(.resolving))
      #expect(await eventually { bluez.count("Connect") == 1 })
      try await bluez.order(
        #""do": "add", "path": "\#(ScriptedTree.strap)/service000e", "interfaces": {"org.bluez.GattService1": {"UUID": "0000180d-0000-1000-8000-00805f9b34fb", "Device": "\#(ScriptedTree.strap)"}}"#
      )
      try await bluez.order(
        #""do": "add", "path": "\#(ScriptedTree.measurement)", "interfaces": {"org.bluez.GattCharacteristic1": {"UUID": "00002a37-0000-1000-8000-00805f9b34fb", "Service": "\#(ScriptedTree.strap)/service000e", "Flags": ["notify"], "Notifying": false, "Value": ""}}"#
      )
      try await bluez.order(
        #""do": "set", "path": "\#(ScriptedTree.strap)", "interface": "org.bluez.Device1", "properties": {"ServicesResolved": true}"#
      )
      #expect(await log.reached(.following))
      #expect(await eventually { log.words == ["connected", "0050"] })
    }
  }

  @Test func `a bluetoothd that is restarted is followed`() async throws {
    try await withCentral { bluez, _, log in
      #expect(await log.reached(.following))
      try await bluez.order(#""do": "restart""#)
      #expect(await eventually { bluez.count("StartNotify") == 2 })
      #expect(await log.reached(.following))
      let story = ["connected", "bluetoothd-absent", "disconnected", "connected"]
      #expect(await eventually { log.words == story })
      try await notify(bluez, "0051")
      #expect(await eventually { log.words.last == "0051" })
    }
  }

  @Test func `a bluetoothd that exits and returns is reported`() async throws {
    try await withCentral { bluez, _, log in
      #expect(await log.reached(.following))
      try await bluez.order(#""do": "release-name""#)
      #expect(await log.reached(.daemonAbsent))
      try await bluez.order(#""do": "request-name""#)
      // bluetoothd still has the earlier subscription. The next value shows that it works.
      #expect(await log.reached(.subscribing))
      try await notify(bluez, "0053")
      #expect(await log.reached(.following))
    }
  }

  @Test func `a bluetoothd that does not reply is reported as such, and asked again`() async throws {
    try await withCentral(
      timeout: .seconds(1),
      preparing: { try await $0.order(#""do": "reply", "method": "GetManagedObjects", "never": true"#) }
    ) { bluez, _, log in
      #expect(await log.reached(.daemonUnresponsive))
      #expect(await log.reached(.following))
      #expect(!log.states.contains(.busAbsent))
    }
  }

  @Test func `a user who may not use bluetoothd gets that state`() async throws {
    try await withCentral(preparing: {
      try await $0.order(
        #""do": "reply", "method": "GetManagedObjects", "error": "org.freedesktop.DBus.Error.AccessDenied", "message": "no""#
      )
    }) { bluez, _, log in
      #expect(await log.reached(.notPermitted))
      #expect(log.states == [.notPermitted])
    }
  }

  @Test func `a user whom the bus rejects gets that state, and the connection is retried`() async throws {
    let bus = try RejectingBus()
    let reported = Mutex<[FollowStatus]>([])
    let central = BlueZCentral(bus: .address(bus.address)) { status in reported.withLock { $0.append(status) }
    }
    let address = BluetoothAddress(bits: 1, kind: .publicDevice)
    await central.follow([FollowedMonitor(address: address)])
    let following = Task { await central.run() }
    #expect(await eventually { reported.withLock { $0.contains { $0.state == .notPermitted } } })
    #expect(await eventually { bus.rejected >= 2 })
    following.cancel()
    await following.value
    let statuses = reported.withLock { $0 }
    #expect(statuses.allSatisfy { $0.state == .notPermitted })
    #expect(statuses.last?.detail?.contains("Run hrgate as a user of the system") == true)
  }

  @Test func `a bus that dies and returns at the same address is followed`() async throws {
    try await withCentral { bluez, _, log in
      #expect(await log.reached(.following))
      try await bluez.order(#""do": "stop-bus""#)
      #expect(await log.reached(.busAbsent))
      // When dbus-daemon exits, it may first report the end of bluetoothd's connection and then close ours.
      #expect(await eventually { log.words.count == 3 })
      #expect(["bus-absent", "bluetoothd-absent"].contains(log.words[1]), "\(log.words)")
      #expect(log.words[2] == "disconnected")
      try await bluez.order(#""do": "start-bus""#)
      #expect(await log.reached(.following))
      try await notify(bluez, "0052")
      #expect(await eventually { log.words.last == "0052" })
    }
  }

  @Test func `an adapter that is removed without signals for its devices ends the link`() async throws {
    try await withCentral { bluez, _, log in
      #expect(await log.reached(.following))
      try await bluez.order(#""do": "remove", "path": "\#(ScriptedTree.adapter)", "children": "silent""#)
      #expect(await log.reached(.adapterAbsent))
      #expect(await eventually { log.words == ["connected", "adapter-absent", "disconnected"] })
    }
  }
}
