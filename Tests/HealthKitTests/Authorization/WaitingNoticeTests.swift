import Foundation
import Glibc
import Testing

@testable import HealthKit

@Suite struct WaitingNoticeTests {
  private func printed(_ notice: WaitingNotice, times: Int = 1) throws -> String {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    var notice = notice
    for _ in 0..<times { notice.printOnce(on: ends[1]) }
    close(ends[1])
    let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    return String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
  }

  @Test func `a waiting program prints one line with the command to answer`() throws {
    let notice = WaitingNotice(store: "/home/a/health.sqlite", in: DataHome("/home/a"))
    #expect(
      try printed(notice, times: 3)
        == "Waiting for your permission. To answer: hrgate permissions ask\n")
  }

  @Test(arguments: [
    ("/data/health.sqlite", "/data/health.sqlite"), ("/my data/it's.sqlite", #"'/my data/it'\''s.sqlite'"#),
  ])
  func `the path of another store is quoted for a shell`(path: String, named: String) throws {
    let notice = WaitingNotice(store: path, in: DataHome("/home/a"))
    #expect(try printed(notice).hasSuffix(" hrgate permissions ask --store \(named)\n"))
  }

  @Test func `a store in memory has no notice, because no other program can answer`() throws {
    #expect(try printed(WaitingNotice(store: nil)) == "")
  }

  @Test func `a standard error that is not read neither blocks nor ends a program`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let bytes = [UInt8](repeating: 0, count: 4096)
    while write(ends[1], bytes, bytes.count) > 0 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    var notice = WaitingNotice(store: "/s/health.sqlite", in: DataHome("/s"))
    notice.printOnce(on: ends[1])
    close(ends[0])
    // The pipe has no reader. SIGPIPE must not end this process.
    notice = WaitingNotice(store: "/s/health.sqlite", in: DataHome("/s"))
    notice.printOnce(on: ends[1])
    close(ends[1])
  }
}
