import Foundation
import Glibc
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests connections to a broker, and their failures.
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

  @Test func `a server that accepts and does not answer is reported`() async throws {
    let broker = try ScriptedBroker { _ in [] }
    let error = await open(try broker.address, greeting: .milliseconds(200))
    #expect(
      error?.description
        == "the server at 127.0.0.1:\(broker.port) accepts connections but does not respond: restart the broker, or correct the address"
    )
    #expect(error?.outlook == .passing)
  }

  @Test func `a server that does not answer on an encrypted connection is reported`() async throws {
    let listener = try LoopbackSocket.listening()
    defer { close(listener) }
    let port = LoopbackSocket.port(of: listener)
    let error = await open(try MQTTAddress("mqtts://127.0.0.1:\(port)/"), greeting: .milliseconds(200))
    #expect(error?.description.contains("accepts connections but does not respond") == true)
  }

  @Test func `an address that does not answer is a timeout`() async throws {
    // Two connections fill the queue of the listener, so that a further connection gets no answer.
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

  @Test func `an address without a listener is reported immediately`() async throws {
    let listener = try LoopbackSocket.listening()
    let port = LoopbackSocket.port(of: listener)
    close(listener)
    let error = await open(try MQTTAddress("mqtt://127.0.0.1:\(port)/"))
    #expect(error?.description.contains("no server listens at 127.0.0.1:\(port)") == true)
  }

  @Test func `a name with IPv4 and IPv6 addresses works if the broker has one of them`() async throws {
    // On a machine with both addresses, `localhost` resolves to ::1 first. mosquitto listens only on
    // 127.0.0.1.
    let broker = try await Broker()
    #expect(await open(try MQTTAddress("mqtt://localhost:\(broker.port)/")) == nil)
    let encrypted = try await Broker([], .tls(name: "localhost"))
    let ca = encrypted.folder.path("ca.pem")
    #expect(await open(try MQTTAddress("mqtts://localhost:\(encrypted.port)/?ca=\(ca)")) == nil)
  }

  @Test func `invalid settings for libmosquitto are reported, and nothing is connected`() async throws {
    let broker = try ScriptedBroker { _ in ScriptedBroker.accepted }
    let error = await open(try broker.address, will: Message(topic: "a/#", payload: []))
    #expect(error?.description.hasPrefix("libmosquitto does not support a required option") == true)
    #expect(error?.outlook == .lasting)
    #expect(broker.packets(ScriptedBroker.Packet.connect).isEmpty)
  }
}
