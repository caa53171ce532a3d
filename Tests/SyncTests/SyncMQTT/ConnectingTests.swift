import Foundation
import Glibc
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import TestSupport

/// The way to a broker, and what stands in it.
@Suite(.enabled(if: Broker.isInstalled), .timeLimit(.minutes(30))) struct ConnectingTests {
  private func open(
    _ address: MQTTAddress, will: Message? = nil, connecting: Duration = .seconds(3600),
    greeting: Duration = .seconds(3600)
  ) async -> ExternalStoreError? {
    await failure {
      let connection = try await BrokerConnection.open(
        .init(
          address: address, clientID: "c", keepalive: 3600, will: will,
          limits: .init(connecting: connecting, greeting: greeting)))
      await connection.close()
    }
  }

  @Test func `what accepts connections but does not respond is named`() async throws {
    let broker = try ScriptedBroker { _ in [] }
    let error = await open(try broker.address, greeting: .milliseconds(200))
    #expect(
      error?.description
        == "the server at 127.0.0.1:\(broker.port) accepts connections but does not respond: restart the broker, or correct the address"
    )
    #expect(error?.outlook == .passing)
  }

  @Test func `one that says nothing on an encrypted connection is named too`() async throws {
    let listener = try LoopbackSocket.listening()
    defer { close(listener) }
    let port = LoopbackSocket.port(of: listener)
    let error = await open(try MQTTAddress("mqtts://127.0.0.1:\(port)/"), greeting: .milliseconds(200))
    #expect(error?.description.contains("accepts connections but does not respond") == true)
  }

  @Test func `an address that does not answer is given up`() async throws {
    // A queue for one connection, which is taken: what comes then gets no answer.
    let listener = try LoopbackSocket.listening()
    _ = Glibc.listen(listener, 0)
    let port = LoopbackSocket.port(of: listener)
    let others = (0..<2).map { _ in LoopbackSocket.connecting(to: port) }
    defer { for socket in others + [listener] { close(socket) } }
    let error = await open(try MQTTAddress("mqtt://127.0.0.1:\(port)/"), connecting: .milliseconds(200))
    #expect(
      error?.description
        == "the broker at 127.0.0.1:\(port) cannot be reached (Connection timed out): check the address and the network"
    )
    #expect(error?.outlook == .passing)
  }

  @Test func `an address where nothing listens is told at once`() async throws {
    let listener = try LoopbackSocket.listening()
    let port = LoopbackSocket.port(of: listener)
    close(listener)
    let error = await open(try MQTTAddress("mqtt://127.0.0.1:\(port)/"))
    #expect(error?.description.contains("no server listens at 127.0.0.1:\(port)") == true)
  }

  @Test func `of a name with addresses of both families the broker may have either`() async throws {
    // mosquitto listens at 127.0.0.1 alone; localhost is ::1 first where the machine has both.
    let broker = try await Broker()
    #expect(await open(try MQTTAddress("mqtt://localhost:\(broker.port)/")) == nil)
    let encrypted = try await Broker([], .tls(name: "localhost"))
    let ca = encrypted.folder.path("ca.pem")
    #expect(await open(try MQTTAddress("mqtts://localhost:\(encrypted.port)/?ca=\(ca)")) == nil)
  }

  @Test func `what libmosquitto cannot be set up with is told, and nothing is connected`() async throws {
    let broker = try ScriptedBroker { _ in ScriptedBroker.accepted }
    let error = await open(try broker.address, will: Message(topic: "a/#", payload: []))
    #expect(error?.description.hasPrefix("libmosquitto does not support a required option") == true)
    #expect(error?.outlook == .lasting)
    #expect(broker.packets(ScriptedBroker.Packet.connect).isEmpty)
  }
}
