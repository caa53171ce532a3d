import Testing

@testable import DBus

@Suite struct ServerAddressTests {
  private static func path(_ name: String, guid: String? = nil) -> ServerAddress {
    ServerAddress(name: Array(name.utf8), isAbstract: false, guid: guid)
  }

  private static func abstract(_ name: String) -> ServerAddress {
    ServerAddress(name: Array(name.utf8), isAbstract: true, guid: nil)
  }

  private static let addresses: [(String, [ServerAddress])] = [
    ("unix:path=/run/bus", [path("/run/bus")]),
    ("unix:path=/run/bus,guid=0aF", [path("/run/bus", guid: "0aF")]),
    ("unix:guid=1,path=/a%20b%3bc%25", [path("/a b;c%", guid: "1")]),
    ("unix:abstract=/tmp/dbus-x", [abstract("/tmp/dbus-x")]),
    ("unix:path=/a;unix:abstract=b", [path("/a"), abstract("b")]),
    ("tcp:host=a,port=1;unix:path=/a;", [path("/a")]),
    ("unix:path=\(String(repeating: "n", count: 107))", [path(String(repeating: "n", count: 107))]),
  ]

  @Test func `an address names sockets, in order`() throws {
    for (text, expected) in Self.addresses { #expect(try ServerAddress.list(text) == expected, "\(text)") }
  }

  @Test(arguments: [
    "", ";", "unix", ":path=/a", "unix:path", "unix:path=", "unix:=a", "unix:path=/a,",
    "unix:path=/a,path=/b",
    "unix:path=/a;;unix:path=/b", "unix:path=%4", "unix:path=%g0", "unix:path=a%00b",
    "unix:path=/a,abstract=b", "unix:path=\(String(repeating: "n", count: 108))",
    // No sockets of this machine, or to listen on.
    "tcp:host=localhost,port=12", "unixexec:path=/bin/cat", "unix:tmpdir=/tmp", "autolaunch:",
  ])
  func `what leads to no socket is refused, and no waiting mends it`(text: String) {
    #expect { try ServerAddress.list(text) } throws: { ($0 as? BusError)?.name == .badAddress }
  }
}
