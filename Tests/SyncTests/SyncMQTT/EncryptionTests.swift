import CMosquitto
import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import TestSupport

@Suite(.enabled(if: Broker.isInstalled), .timeLimit(.minutes(30))) struct EncryptionTests {
  private func address(_ broker: Broker, host: String = "127.0.0.1", ca: String?) throws -> MQTTAddress {
    try MQTTAddress("mqtts://\(host):\(broker.port)/\(ca.map { "?ca=\($0)" } ?? "")")
  }

  @Test func `a broker with a certificate of the named authority is trusted`() async throws {
    let broker = try await Broker([], .tls(name: "127.0.0.1"))
    let store = mqttStore(try address(broker, ca: broker.folder.path("ca.pem")))
    try await store.open()
    #expect(try await store.upload(page((0..<1000).map { heartRateSample(60, Double($0)) })).isEmpty)
    await store.close()
  }

  @Test func `a broker with a certificate of another authority is not trusted`() async throws {
    let broker = try await Broker([], .tls(name: "127.0.0.1"))
    let error = await failure { try await mqttStore(address(broker, ca: nil)).open() }
    #expect(error?.description.contains("is not trusted here") == true)
    #expect(error?.description.contains("ca=FILE") == true)
    #expect(error?.outlook == .lasting)
  }

  /// libmosquitto does not report whether a certificate has expired or is not valid yet, so both get one
  /// message.
  @Test(arguments: [OwnAuthority.Validity.over, .toCome])
  func `an expired or future certificate is reported`(validity: OwnAuthority.Validity) async throws {
    let authority = try OwnAuthority(validity: validity)
    let broker = try await Broker([], .own(authority))
    let error = await failure {
      try await mqttStore(address(broker, host: "localhost", ca: authority.certificate)).open()
    }
    #expect(error?.description.contains("not valid now") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("check the clock") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `a certificate with another name is not trusted`() async throws {
    let broker = try await Broker([], .tls(name: "broker.example"))
    let error = await failure {
      try await mqttStore(address(broker, ca: broker.folder.path("ca.pem"))).open()
    }
    #expect(error?.description.contains("is for another host name") == true)
    #expect(error?.outlook == .lasting)
  }

  @Test func `an unreadable authority file is reported`() async throws {
    let broker = try await Broker([], .tls(name: "127.0.0.1"))
    for file in ["/nowhere/ca.pem", broker.folder.path("conf")] {
      let error = await failure { try await mqttStore(address(broker, ca: file)).open() }
      #expect(error?.outlook == .lasting)
      #expect(error?.description.contains("ca=") == true)
    }
  }

  /// The message about the unencrypted listener depends on whether the broker closes the connection before
  /// the client writes.
  @Test func `encrypted and unencrypted listeners are distinguished`() async throws {
    let plain = try await Broker()
    let toPlain = await failure { try await mqttStore(address(plain, ca: nil)).open() }
    let message = try #require(toPlain?.description)
    let place = "127.0.0.1:\(plain.port)"
    let answered = "\(place) does not use TLS"
    let dropped = "\(place) closed the connection without a response: if this port does not use TLS"
    #expect(message.contains(answered) || message.contains(dropped), "\(message)")
    let encrypted = try await Broker([], .tls(name: "127.0.0.1"))
    let toEncrypted = await failure { try await mqttStore(encrypted.address()).open() }
    #expect(toEncrypted?.description.contains("mqtts://") == true, "\(toEncrypted?.description ?? "")")
  }

  @Test(arguments: [
    (MOSQ_ERR_ERRNO, ECONNRESET), (MOSQ_ERR_ERRNO, EPIPE), (MOSQ_ERR_CONN_LOST, 0 as Int32),
  ])
  func `a connection that ends without an answer is reported with a possible cause`(
    code: mosq_err_t, errno: Int32
  ) throws {
    func connectionError(_ address: String) throws -> ExternalStoreError {
      BrokerFailure.unreachable(try MQTTAddress(address), code: code, errno: errno, log: [])
    }
    let plain = try connectionError("mqtt://127.0.0.1:1883/")
    #expect(plain.description.contains("if it expects TLS, use mqtts://"), "\(plain.description)")
    #expect(plain.outlook == .passing)
    let encrypted = try connectionError("mqtts://127.0.0.1:1883/")
    #expect(encrypted.description.contains("if this port does not use TLS"), "\(encrypted.description)")
    #expect(encrypted.outlook == .passing)
  }
}
