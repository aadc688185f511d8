package program

import "strconv"

// Names of made-up people and businesses. Pictures of the pages show them, and tests tell them apart.
var (
	familyNames = []string{"王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙", "胡", "朱", "高", "林", "何", "郭",
		"马", "罗"}
	givenNames = []string{"丽", "建国", "秀英", "晓峰", "文静", "志强", "佳怡", "海燕", "国栋", "雨桐", "俊杰", "美玲", "永康", "思远", "桂芳",
		"子轩", "春梅", "立新", "雪莹", "德明", "小红", "振华", "慧敏", "天佑", "月娥", "家豪", "素珍", "晨曦", "卫东", "玉兰"}
	streets = []string{"河东路", "文三路", "桂花巷", "望江街", "青年路", "古槐街", "滨湖路", "南门口", "学府路", "东湖里", "解放街", "和平里",
		"七星街", "枫林道", "石桥镇", "百草园", "清水湾", "金桥路", "柳荫街", "云山路"}
	kitchens = []string{"家常菜馆", "面馆", "饺子馆", "火锅店", "小吃店", "早餐铺", "饭庄", "食堂", "快餐店", "茶餐厅", "粥铺", "烧烤店", "私房菜",
		"川菜馆", "酒楼", "米粉店", "砂锅店", "馄饨铺", "烤鱼店", "农家院"}
	shops = []string{"粮油批发", "食品商行", "副食商店", "农产品", "调味品", "酒水行", "蔬果行", "干货行", "冷链食品", "商贸行", "茶叶行", "水产行",
		"米业", "面业", "日用百货", "厨具行", "乳品", "饮料行", "糕点坊", "供应链"}
)

// named returns the n-th combination of two lists. Neighbours differ in both parts.
func named(n int, first, second []string) string {
	return first[n%len(first)] + second[(n+n/len(first))%len(second)]
}

// order returns the number of a phone that NewPhone returned.
func order(phone string) int {
	n, err := strconv.Atoi(phone[7:])
	if err != nil {
		return 0
	}
	return n
}

// PersonName returns the name of the person with a phone that NewPhone returned.
func PersonName(phone string) string { return named(order(phone), familyNames, givenNames) }
