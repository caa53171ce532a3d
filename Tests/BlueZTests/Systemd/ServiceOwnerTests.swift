import Foundation
import Testing

@testable import Systemd
@testable import TestSupport

@Suite struct ServiceOwnerTests {
  private func owner(_ name: String) -> ServiceOwner {
    ServiceOwner(name: name, home: "/", number: 1000, group: 1000)
  }

  @Test func `a user's name is a part of a unit's where systemd would escape nothing in it`() {
    for name in ["anna", "anna-maria", "a.b_c", "hr2", "2hr"] {
      #expect(owner(name).canBeInstance, "\(name)")
    }
    // User=1000 is whoever has that number.
    for name in [
      "", "-x", ".x", "a b", "DOMAIN\\anna", "a/b", "ann\u{E4}", "anna@example.org", "1000", "a\nb",
    ] {
      #expect(!owner(name).canBeInstance, "\(name)")
    }
  }

  @Test func `a user of an image is found in its own table`() throws {
    let image = try TemporaryFolder()
    #expect(ServiceOwner(named: "anna", inImage: image.url.path) == nil)
    try FileManager.default.createDirectory(
      atPath: image.path("etc"), withIntermediateDirectories: true)
    _ = try image.file(
      "etc/passwd",
      Array(
        """
        root:x:0:0:root:/root:/bin/sh
        annabell:x:7
        anna:x:1007:1008:Anna:/srv/anna:/bin/sh
        ben:x:1009:1009:Ben:home/ben:/bin/sh
        cleo:x:1010:1010:Cleo::/bin/sh

        """.utf8))
    let anna = ServiceOwner(named: "anna", inImage: image.url.path)
    #expect(anna == ServiceOwner(name: "anna", home: "/srv/anna", number: 1007, group: 1008))
    // A home that is no path would be looked for in whatever folder this program is started.
    for name in ["ann", "annabell", "", "x", "ben", "cleo"] {
      #expect(ServiceOwner(named: name, inImage: image.url.path) == nil, "\(name)")
    }
  }
}
