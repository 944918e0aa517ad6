package evidence

import (
	"strings"
	"unicode/utf8"
)

// surnames are the usual ones that are seldom anything else at the start of a word; doubtful are usual too, and need a word
// of saying or a title beside them.
const (
	surnames = "张王李赵刘陈杨吴徐孙朱胡郭何罗郑梁谢宋唐韩冯邓曹彭曾萧蔡潘袁董叶杜蒋沈魏丁薛阎崔谭陆贾邹熊孟秦尹侯邵郝龚赖汪贺姚卢姜钟傅廖范陶尤张劉陳楊吳孫鄭謝馮鄧葉習习"
	doubtful = "黄林高马周方于任成元常安白金江余万石龙段钱汤文田史夏武黎戴苏程严毛易雷康"
)

// afterName are words that follow a name; the second list follows even a doubtful one.
var (
	afterName  = wordSet("起 访 在 是 于 担 出 任 将 曾 已 也 的 与 和 及 对 向 因 从 以 为 被 获 当 先 女 教 主 总 博 同 说 表 称 指 认 介 告 强 宣 透 回 、 ， 。 , （ ( ： : ； 加 毕 就 创 负 辞 接 出 生 患 去 逝 入 没 不 未 则 还 又 均 等")
	sayingVerb = wordSet("说 表示 称 指出 认为 介绍 告诉 强调 宣布 透露 回应 先生 女士 教授 主席 总统 总理 博士 院士 同志 主任 部长 局长 记者 董事 出生 担任 毕业 去世")
	beforeName = wordSet("总统 主席 总理 教授 记者 部长 局长 主任 总裁 经理 事长 执行官 先生 女士 院士 博士 书记 市长 省长 校长 院长 导演 演员 作家 创始人 首相 发言人 律师 医生 教练 球员 队长")
	// commonStarts are usual words that start like a person's name.
	commonStarts = wordSet("何时 何种 何处 何况 何以 任何 张开 李子 王国 王朝 王室 胡同 胡子 罗马 罗列 郑重 梁山 谢谢 唐代 唐朝 韩国 韩元 宋代 宋朝 秦朝 汉朝 陆地 陆续 陆军 钟头 钟表 叶子 范围 范畴 陶瓷 尤其 沈阳 贺电 董事 徐州 吴江 杨树 郭外 杜绝 蒋家 卢布 卢森 谭子 熊猫 孟加 秦岭 侯选 丁香 曾经 曾任 曾在 曾是 曾为 曾被 曾于 曾获 陈述 陈列 陈旧 江苏 郑州 杭州 广州 彭博 萧条 习惯 习俗 赵国 魏国 吴国 朱红 孙子 孙女 唐山 张家 汪洋 姜黄 傅立 廖若 金融 金额 黄金 黄河 黄色 高度 高兴 高级 高速 高等 高校 高达 高于 马上 马来 周期 周边 周年 周末 周一 周二 周三 周四 周五 周六 周日 方面 方式 方法 方案 方向 于是 任务 任命 成为 成功 成立 成员 成本 成果 常见 常务 常委 安全 安排 白色 江西 余额 万元 石油 龙头 段时 钱包 文化 文件 文章 田野 史上 夏季 武汉 武器 程度 程序 严重 严格 易于 雷达 康复 苏联 苏州 戴上 林业 元年 余人")
)

// places are names of countries and cities that are known as they are.
var places = wordSet("中国 美国 英国 法国 德国 日本 韩国 朝鲜 印度 俄罗斯 俄国 乌克兰 加拿大 澳大利亚 新西兰 巴西 墨西哥 阿根廷 智利 意大利 西班牙 葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 丹麦 芬兰 波兰 捷克 奥地利 匈牙利 希腊 土耳其 以色列 伊朗 伊拉克 叙利亚 沙特 埃及 南非 尼日利亚 肯尼亚 越南 泰国 缅甸 柬埔寨 老挝 新加坡 马来西亚 印度尼西亚 印尼 菲律宾 巴基斯坦 孟加拉 阿富汗 蒙古 欧盟 联合国 北约 " +
	"北京 上海 天津 重庆 广州 深圳 香港 澳门 台湾 台北 南京 杭州 苏州 武汉 成都 西安 长沙 郑州 青岛 大连 厦门 宁波 合肥 福州 济南 沈阳 哈尔滨 昆明 贵阳 南昌 南宁 石家庄 太原 兰州 长春 海口 拉萨 乌鲁木齐 呼和浩特 河北 河南 山东 山西 陕西 甘肃 青海 四川 贵州 云南 广东 广西 福建 浙江 江苏 安徽 江西 湖北 湖南 海南 辽宁 吉林 黑龙江 新疆 西藏 内蒙古 宁夏 " +
	"东京 大阪 首尔 纽约 华盛顿 旧金山 洛杉矶 芝加哥 波士顿 西雅图 伦敦 巴黎 柏林 慕尼黑 法兰克福 罗马 米兰 马德里 莫斯科 基辅 布鲁塞尔 日内瓦 维也纳 悉尼 墨尔本 多伦多 迪拜 孟买 新德里 曼谷 雅加达 马尼拉 河内 开罗 奥斯陆 斯德哥尔摩 哥本哈根 赫尔辛基 华沙 特朗普 拜登 奥巴马 普京 默克尔 马克龙 安倍 马斯克")

// orgEndings end the name of an organisation, the longest first; generic may stand before one without being a name.
var (
	orgEndings = [...]string{"有限公司", "委员会", "基金会", "研究所", "研究院", "出版社", "联合会", "实验室", "俱乐部", "博物馆", "公司", "集团", "大学", "银行", "医院", "学院", "协会", "法院", "中学", "电视台", "日报"}
	generic    = wordSet("该 本 此 这家 那家 一家 两家 多家 各家 各 某 家 的 一所 所 分 母 子 总 上市 科技 跨国 大型 小型 国有 私营 民营 外资 合资 中国 美国 国家 中央 商业 网络 互联网 保险 制药 电信 石油 投资 当地 地方 人民 高级 最高 附属 著名 顶尖 重点 几家 家大型 这所 那所 股份 有限 责任 一些 许多 其他 全国 国际 知名 母 旗下 子 控股 物流 能源 汽车 软件 技术 媒体 社交媒体")
	orgBreaks  = "的在和与是从对由被了于为及向将该这本某一到至入给让使把据任把、两家所名"
)

// hanNames finds names in Chinese text: persons by surname and surroundings, organisations by their ending, known places, titles in
// 《》 and what is quoted.
func (p *parser) hanNames() {
	for i := 0; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if closing := quotationEnd(t.text); closing != "" && (t.text != "\"" || t.start+1 < t.end) {
			p.quoted(i, closing)
			continue
		}
		if t.kind != hanToken || p.used[i] {
			continue
		}
		if n := p.placeAt(i); n > 0 {
			p.add(Name, i, i+n, p.hanText(i, i+n))
			i += n - 1
			continue
		}
		if n := p.personAt(i); n > 0 {
			p.add(Name, i, i+n, p.hanText(i, i+n))
			i += n - 1
			continue
		}
		p.organisationAt(i)
	}
}

func (p *parser) hanText(from, to int) string {
	var b strings.Builder
	for i := max(from, 0); i < to && i < len(p.tokens); i++ {
		b.WriteString(p.tokens[i].text)
	}
	return b.String()
}

func quotationEnd(s string) string {
	switch s {
	case "《":
		return "》"
	case "「":
		return "」"
	case "『":
		return "』"
	}
	return ""
}

// quoted records what stands between the marks at i and the closing one.
func (p *parser) quoted(i int, closing string) {
	for j := i + 1; j < len(p.tokens) && j < i+40; j++ {
		if p.tokens[j].text == closing {
			if j > i+1 {
				s := Span{Start: p.tokens[i+1].start, End: p.tokens[j-1].end}
				p.add(Name, i+1, j, Normalize(p.s[s.Start:s.End]))
			}
			return
		}
	}
}

func (p *parser) placeAt(i int) int {
	text, n := "", 0
	for k := 0; k < 5 && p.tok(i+k).kind == hanToken; k++ {
		text += p.tokens[i+k].text
		if places()[text] {
			n = k + 1
		}
	}
	return n
}

// personAt returns the length of the person's name at i, or 0.
func (p *parser) personAt(i int) int {
	s := p.tokens[i].text
	sure, maybe := strings.Contains(surnames, s), strings.Contains(doubtful, s)
	if !sure && !maybe {
		return 0
	}
	if p.tok(i+1).kind != hanToken || p.used[i+1] || commonStarts()[s+p.tok(i+1).text] {
		return 0
	}
	titled := beforeName()[p.hanText(i-2, i)] && i >= 2 || beforeName()[p.hanText(i-3, i)] && i >= 3
	if !titled && p.tok(i-1).kind == hanToken && !strings.Contains("的由与和及对向是据，、“”让给将被把而但为随了", p.tok(i-1).text) {
		return 0
	}
	for _, n := range []int{3, 2} {
		if n == 3 && (p.tok(i+2).kind != hanToken || p.used[i+2] || strings.Contains("说称在是于的与和曾将为对向任已也被表指认", p.tok(i+2).text)) {
			continue
		}
		next := p.tok(i + n)
		saying := sayingVerb()[p.hanText(i+n, i+n+1)] || sayingVerb()[p.hanText(i+n, i+n+2)]
		switch {
		case saying, titled && (next.kind != hanToken || afterName()[next.text]):
			return n
		case sure && (afterName()[next.text] && next.text != "" || p.atEnd(i+n)) && (n == 3 || next.kind != punctToken && !p.atEnd(i+n) || strings.Contains("了和与、由被对", p.tok(i-1).text)):
			return n
		}
	}
	return 0
}

func (p *parser) atEnd(i int) bool { return i >= len(p.tokens) }

// organisationAt records the organisation whose ending starts at i. Where it begins is not marked in the text: its value
// keeps the two characters before the ending, which must be the quote's as well.
func (p *parser) organisationAt(i int) {
	for _, end := range orgEndings {
		if !p.han(i, end) {
			continue
		}
		n := utf8.RuneCountInString(end)
		from := i
		for from > 0 && i-from < 8 && p.tokens[from-1].kind == hanToken && !p.used[from-1] && !strings.Contains(orgBreaks, p.tokens[from-1].text) {
			from--
		}
		own := i // where what is its own ends
		for k := 1; k <= 4 && own-k >= from; k++ {
			if generic()[p.hanText(own-k, own)] {
				own, k = own-k, 0
			}
		}
		if own-from < 2 {
			return
		}
		p.add(Name, from, i+n, p.hanText(own-2, i+n))
		return
	}
}
