import Foundation
import Glibc
import Testing

@testable import HealthKit

@Suite struct WaitingNoticeTests {
  private func told(_ notice: WaitingNotice, times: Int = 1) throws -> String {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    var notice = notice
    for _ in 0..<times { notice.tellOnce(on: ends[1]) }
    close(ends[1])
    let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    return String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
  }

  @Test func `a program that waits says so in one line, with the command that answers`() throws {
    let notice = WaitingNotice(store: "/home/a/health.sqlite", in: DataHome("/home/a"))
    #expect(
      try told(notice, times: 3)
        == "Waiting for your permission. To answer: hrgate permissions ask\n")
  }

  @Test(arguments: [
    ("/data/health.sqlite", "/data/health.sqlite"), ("/my data/it's.sqlite", #"'/my data/it'\''s.sqlite'"#),
  ])
  func `a store of its own is named as a shell takes it`(path: String, named: String) throws {
    let notice = WaitingNotice(store: path, in: DataHome("/home/a"))
    #expect(try told(notice).hasSuffix(" hrgate permissions ask --store \(named)\n"))
  }

  @Test func `a store in memory, at which nobody else can answer, is not spoken of`() throws {
    #expect(try told(WaitingNotice(store: nil)) == "")
  }

  @Test func `a standard error that nobody reads neither holds a program up nor ends it`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let bytes = [UInt8](repeating: 0, count: 4096)
    while write(ends[1], bytes, bytes.count) > 0 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    var notice = WaitingNotice(store: "/s/health.sqlite", in: DataHome("/s"))
    notice.tellOnce(on: ends[1])
    close(ends[0])
    // SIGPIPE would end this process.
    notice = WaitingNotice(store: "/s/health.sqlite", in: DataHome("/s"))
    notice.tellOnce(on: ends[1])
    close(ends[1])
  }
}
