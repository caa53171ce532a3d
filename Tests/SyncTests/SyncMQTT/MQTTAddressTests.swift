import HealthDataSync
import Testing

@testable import ExternalStores

@Suite struct MQTTAddressTests {
  @Test func `an address has a host, a user and settings`() throws {
    let address = try MQTTAddress(
      "mqtts://ada@broker.example:8884/home/heart%20rates?discovery=homeassistant&ca=/etc/ca.pem")
    #expect(address.host == "broker.example")
    #expect(address.port == 8884)
    #expect(address.user == "ada")
    #expect(address.usesTLS)
    #expect(address.base == "home/heart rates")
    #expect(address.discoveryPrefix == "homeassistant")
    #expect(address.certificateAuthority == "/etc/ca.pem")
  }

  @Test func `missing settings have defaults`() throws {
    let plain = try MQTTAddress("mqtt://localhost")
    #expect(plain.port == 1883)
    #expect(plain.user == nil)
    #expect(plain.base == "hrgate")
    #expect(plain.discoveryPrefix == nil)
    #expect(try MQTTAddress("MQTTS://[2001:db8::1]/").port == 8883)
    #expect(try MQTTAddress("mqtts://[2001:db8::1]/").host == "2001:db8::1")
    #expect(try MQTTAddress("mqtt://[::1]:1/a/").base == "a")
  }

  @Test(arguments: ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]"])
  func `the loopback interface needs no encryption`(_ host: String) throws {
    #expect(try !MQTTAddress("mqtt://\(host)/").usesTLS)
  }

  @Test(arguments: [
    "192.168.1.2", "broker.example", "127.example.org", "localhost.example.org", "[2001:db8::1]",
  ])
  func `any other host needs encryption, unless the address disables it`(_ host: String) throws {
    let error = #expect(throws: ExternalStoreError.self) { try MQTTAddress("mqtt://\(host)/") }
    #expect(error?.description.contains("mqtts://") == true)
    #expect(error?.outlook == .lasting)
    #expect(try !MQTTAddress("mqtt://\(host)/?unencrypted=yes").usesTLS)
    #expect(throws: ExternalStoreError.self) { try MQTTAddress("mqtt://\(host)/?unencrypted=no") }
  }

  @Test func `a password in an address is rejected and not in the error`() {
    let error = #expect(throws: ExternalStoreError.self) { try MQTTAddress("mqtt://ada:s3cret@localhost/") }
    #expect(error?.description.contains("put the password into a file") == true)
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test(arguments: [
    "", "mqtt", "http://localhost/", "mqtt:///base", "mqtt://localhost:0/", "mqtt://localhost:70000/",
    "mqtt://localhost/a#b", "mqtt://localhost/a%23b", "mqtt://localhost/a/+/b", "mqtt://localhost/a%2Bb",
    "mqtt://localhost/a//b", "mqtt://localhost/$SYS", "mqtt://localhost/a%00b", "mqtt://localhost/%zz",
    "mqtt://localhost/a%0Ab", "mqtt://localhost/?discovery", "mqtt://localhost/?discovery=",
    "mqtt://localhost/?discovery=a/%23", "mqtt://localhost/?discovry=homeassistant",
    "mqtt://localhost/?discovery=a&discovery=b", "mqtt://localhost/?ca=/ca.pem",
    "mqtt://localhost/?unencrypted=perhaps", "mqtt://a%00b@localhost/", "mqtt:// localhost/",
    "mqtt://localhost/" + String(repeating: "a", count: 257),
  ])
  func `an invalid address is reported in one sentence`(_ text: String) {
    let error = #expect(throws: ExternalStoreError.self) { try MQTTAddress(text) }
    #expect(error?.outlook == .lasting)
    #expect(error?.description.isEmpty == false)
  }
}
