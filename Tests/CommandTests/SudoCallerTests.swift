import Glibc
import PacketLog
import Testing

@testable import hrgate

@Suite struct SudoCallerTests {
  @Test func `who called sudo is known where root runs for him, and there is such a user`() {
    let nobody = ["SUDO_UID": "65534", "SUDO_GID": "65534"]
    let caller = SudoCaller(nobody, user: 0)
    #expect(caller?.owner == FileOwner(user: 65_534, group: 65_534) && caller?.name == "nobody")
    #expect(SudoCaller(nobody, user: 1000) == nil)
    for wrong in [
      [:], ["SUDO_UID": "65534"], ["SUDO_UID": "0", "SUDO_GID": "0"], ["SUDO_UID": "x", "SUDO_GID": "1"],
      ["SUDO_UID": "4123456789", "SUDO_GID": "1"], ["SUDO_UID": "-1", "SUDO_GID": "1"],
    ] {
      #expect(SudoCaller(wrong, user: 0) == nil, "\(wrong)")
    }
  }
}
